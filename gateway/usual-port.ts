/** The port of the gateway where nobody says another: from docs/contract.md. */
export const usualGatewayPort = 6273;

export { cortexRequest } from "./dist/scripts/connection.js";

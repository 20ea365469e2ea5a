export declare const bundleFolder: string;
export declare const programs: string[];
export declare const bundleName: (program: string) => string;
export declare function freshBundle(program: string, hasSources: boolean): string | null;

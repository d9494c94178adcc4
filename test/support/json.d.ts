export declare function decodeJson(text: string): unknown;

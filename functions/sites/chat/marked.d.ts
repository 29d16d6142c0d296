export declare const lexer: typeof import('marked').lexer;

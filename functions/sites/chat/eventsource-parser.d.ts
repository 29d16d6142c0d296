export declare const createParser: typeof import('eventsource-parser').createParser;

/** What the script before this one defines. */
declare const Scalar: { createApiReference: (selector: string, configuration: object) => void };

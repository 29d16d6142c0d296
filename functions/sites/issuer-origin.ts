/** Replaced when the page is served: the origin of the issuer's token endpoint is not known when it is built. */
export const issuerOriginPlaceholder = '{issuer-origin}';

/** The response headers that a page of another origin may read. */
const exposed = {
  'Access-Control-Expose-Headers': [
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'Retry-After',
    'Idempotent-Replayed',
    'Content-Disposition',
    'X-Next-After',
    'WWW-Authenticate',
    'x-amzn-RequestId',
  ].join(', '),
};

/** The origins whose pages may call the API (`https://app.example.com`, or `*`), from `CORS_ORIGINS`. */
export const corsOrigins = (): readonly string[] =>
  process.env.CORS_ORIGINS?.split(' ').filter(Boolean) ?? [];

/**
 * The headers that tell a browser whether a page of this origin may read the response. Credentials are not allowed:
 * the API uses no cookies, and a page sends its token in the Authorization header.
 * @param origin The Origin header of the request.
 */
export function allowOrigin(origin: string | undefined, origins: readonly string[]): Record<string, string> {
  if (origins.length === 0) return {};
  if (origins.includes('*')) return { 'Access-Control-Allow-Origin': '*' };
  return {
    // Otherwise a cache could answer one origin with the response for another.
    Vary: 'Origin',
    ...(origin !== undefined && origins.includes(origin) && { 'Access-Control-Allow-Origin': origin }),
  };
}

/** The CORS headers of a response to anything but a preflight request. */
export const corsHeaders = (
  origin: string | undefined,
  origins: readonly string[],
): Record<string, string> => (origins.length === 0 ? {} : { ...allowOrigin(origin, origins), ...exposed });

/**
 * The CORS headers of a response that the gateway makes itself. It can compare neither origins nor paths there, and pages of
 * every origin may call some paths. So every page may read these responses, which contain nothing of a tenant.
 */
export const gatewayCorsHeaders: Readonly<Record<string, string>> = corsHeaders('*', ['*']);

/**
 * What the answer to a preflight request offers, besides the origin.
 * @param more The request headers that only this path takes.
 */
export const preflightHeaders = (
  methods: readonly string[],
  more: readonly string[] = [],
): Record<string, string> => ({
  'Access-Control-Allow-Methods': methods.join(', '),
  'Access-Control-Allow-Headers': [
    'Authorization',
    'Content-Type',
    'Accept',
    'Last-Event-ID',
    'X-Persona-Version',
    'Idempotency-Key',
    ...more,
  ].join(', '),
  // Chromium keeps it no longer.
  'Access-Control-Max-Age': '7200',
});

import type { HttpRequest } from '../../adapters/ports/http-port.ts';

/** A request as a preview shows it. */
export const shownRequest = ({ method, url, headers, body, timeoutMs }: HttpRequest) => ({
  method,
  url,
  headers,
  ...(body !== undefined && { body }),
  timeoutMs,
});

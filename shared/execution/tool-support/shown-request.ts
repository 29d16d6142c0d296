import type { HttpRequest } from '../../adapters/ports/http-port.ts';

export const shownRequest = ({ method, url, headers, body, timeoutMs }: HttpRequest) => ({
  method,
  url,
  headers,
  ...(body !== undefined && { body }),
  timeoutMs,
});

import { StepError } from '../../core/errors/step-error.ts';
import type { HttpRequest } from '../ports/http-port.ts';

const redirectStatuses = [301, 302, 303, 307, 308];

/** Headers that may follow a redirect to another origin: none with credentials or origin-specific data. */
const portable = ['accept', 'accept-language', 'content-type', 'user-agent'];

/** The request after a redirect, by the rules of fetch; undefined if the response is no redirect. @throws StepError */
export function redirectedRequest(
  request: HttpRequest,
  status: number,
  location: string | null,
): HttpRequest | undefined {
  if (!redirectStatuses.includes(status) || location === null || !URL.canParse(location, request.url)) return;
  const target = new URL(location, request.url);
  const sameOrigin = target.origin === new URL(request.url).origin;
  const becomesGet = status === 303 || (status < 303 && request.method === 'POST');
  if (request.sameOriginBody && !sameOrigin && !becomesGet) {
    throw new StepError(
      `The response redirects a body with a secret to another origin, ${target.origin}; request that URL directly`,
    );
  }
  const headers = Object.entries(request.headers).filter(([given]) => {
    const name = given.toLowerCase();
    return (sameOrigin || portable.includes(name)) && !(becomesGet && name.startsWith('content-'));
  });
  return {
    ...request,
    url: target.href,
    headers: Object.fromEntries(headers),
    ...(becomesGet && { method: 'GET', body: undefined }),
  };
}

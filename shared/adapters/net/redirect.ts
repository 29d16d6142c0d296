import { StepError } from '../../core/step-error.ts';
import type { HttpRequest } from '../ports.ts';

const redirectStatuses = [301, 302, 303, 307, 308];

/** What may go along to another origin: nothing that could be a credential or was meant for the first one only. */
const portable = ['accept', 'accept-language', 'content-type', 'user-agent'];

/** The request that a redirect asks for, by the rules of fetch; nothing when the answer is no redirect. @throws StepError */
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
    throw new StepError(`The answer redirects a body that holds a secret to ${target.origin}`);
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

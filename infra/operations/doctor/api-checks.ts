import { generateKey } from '../../../shared/platform/auth/key-format.ts';
import { type CheckFinding, type DoctorCheck, ok, problem, warning } from './check.ts';
import type { Subject } from './deployment-checks.ts';

const requestMs = 10_000;

/** AWS refuses signatures whose time differs by more than five minutes. */
const skew = { warnSeconds: 30, refusedSeconds: 300 };

export const apiChecks: readonly DoctorCheck<Subject>[] = [
  { id: 'api', what: 'API', run: reachable },
  { id: 'authorizer', what: 'Authorizer', run: authorizer },
  { id: 'clock', what: 'Clock of this machine', run: clock },
];

async function reachable({ deployment: { url } }: Subject): Promise<CheckFinding> {
  const response = await get(`${url}/openapi.json`);
  if (typeof response === 'string')
    return problem(
      `${url} cannot be reached: ${response}`,
      'Check DNS, the network, and a domain or CDN in front of it.',
    );
  const document = await response.json().catch(() => undefined);
  if (response.status === 200 && document?.openapi)
    return ok(`${url} (${Object.keys(document.paths ?? {}).length} paths)`);
  return problem(
    `GET ${url}/openapi.json returned ${response.status}`,
    'See the access log: docs/runbook.md#api-errors.',
  );
}

async function authorizer({ deployment: { url } }: Subject): Promise<CheckFinding> {
  const credentials = { 'no credential': undefined, 'an unknown key': generateKey('production') };
  for (const [what, key] of Object.entries(credentials)) {
    const response = await get(`${url}/v1/flows`, key ? { authorization: `Bearer ${key}` } : {});
    if (typeof response === 'string') return problem(`No answer: ${response}`, 'See the check of the API.');
    const body = await response.json().catch(() => undefined);
    if (response.status !== 401)
      return problem(
        `A request with ${what} returned ${response.status}, not 401`,
        'docs/runbook.md#authorizer-errors.',
      );
    if (body?.error !== 'Unauthorized')
      return problem(
        `The 401 for ${what} is not the API's own`,
        'Something in front of the API answers, or the gateway responses were changed. Deploy again.',
      );
  }
  return ok('401 without a credential and for an unknown key');
}

async function clock({ deployment: { url } }: Subject): Promise<CheckFinding> {
  const response = await get(`${url}/openapi.json`);
  const date = typeof response === 'string' ? null : response.headers.get('date');
  if (!date) return warning('Not checked: no answer with a date', 'See the check of the API.');
  const seconds = Math.round(Math.abs(Date.now() - Date.parse(date)) / 1_000);
  const message = `${seconds} s from that of the API`;
  const advice = 'Synchronize it (NTP): AWS refuses signed requests from five minutes on.';
  if (seconds >= skew.refusedSeconds) return problem(message, advice);
  return seconds >= skew.warnSeconds ? warning(message, advice) : ok(message);
}

/** @returns the response, or why there is none. */
const get = (url: string, headers: Record<string, string> = {}): Promise<Response | string> =>
  fetch(url, { headers, signal: AbortSignal.timeout(requestMs) }).catch(({ cause, message }) =>
    String(cause?.message ?? message),
  );

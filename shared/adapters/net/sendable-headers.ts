import { StepError } from '../../core/errors/step-error.ts';

/** What the client sets, or what holds for one connection only: never sent as given. */
export const transportHeaders: ReadonlySet<string> = new Set(
  'connection content-length expect host keep-alive te trailer transfer-encoding upgrade'.split(' '),
);

/** The headers without transport headers, and with a user agent. @throws StepError for values that cannot be sent. */
export function sendableHeaders(requested: Readonly<Record<string, string>>): [string, string][] {
  const headers = Object.entries(requested).filter(([name]) => !transportHeaders.has(name.toLowerCase()));
  for (const [name, value] of headers) refuseUnsendable(name, value);
  const saysWho = headers.some(([name]) => name.toLowerCase() === 'user-agent');
  return saysWho ? headers : [['user-agent', userAgent], ...headers];
}

/** Surrounding whitespace is not sent. Fetch's own error would reveal the value, which may be secret. */
function refuseUnsendable(name: string, value: string): void {
  if (!/[^\t\n\r -~\u0080-\u00ff]/.test(value) && !/[\n\r]/.test(value.trim())) return;
  throw new StepError(
    `The value of the header ${name} has characters that headers cannot contain: only printable Latin-1 (ISO 8859-1) in one line is allowed; encode others`,
  );
}

/** The service's user agent, also for robots.txt. */
export const userAgent = 'agent-flow-service';

import { StepError } from '../../core/step-error.ts';
import type { Ports } from '../ports.ts';
import { limitAsStepError } from '../sandbox/sandbox.ts';
import { readRobots } from './tasks.ts';

/** What the standard (RFC 9309, 2.5) has a crawler read at least. */
const charactersMax = 500 * 1_024;
const delayMsMax = 10_000;
/** What looking at one batch of addresses may take. */
const timeoutMs = 2_000;

export interface Robots {
  /** Which of some pages may be read. @throws StepError when the rules take too long to apply. */
  allows: (urls: readonly string[]) => Promise<boolean[]>;
  /** The pause between two requests that the site asks for. */
  delayMs: number;
}

/** What a site lets crawlers do. @throws StepError when its robots.txt cannot be asked for: then nothing is allowed. */
export async function robotsOf(
  origin: string,
  { fetch, sandbox }: Pick<Ports, 'fetch' | 'sandbox'>,
  signal: AbortSignal,
): Promise<Robots> {
  const url = `${origin}/robots.txt`;
  const answer = await fetch({ url, method: 'GET', headers: {}, timeoutMs: 10_000, signal });
  if (answer.status === 429 || answer.status >= 500) {
    const message = `${url} answered ${answer.status}: whether the site may be crawled is not known`;
    throw new StepError(message, { retryable: true });
  }
  const text = answer.status < 300 ? answer.text.slice(0, charactersMax) : '';
  const read = (urls: readonly string[]) =>
    sandbox(readRobots, { text, urls }, { timeoutMs, signal }).catch(limitAsStepError(url, 'to apply'));
  const { delaySeconds } = await read([]);
  return {
    allows: async (urls) => (text === '' ? urls.map(() => true) : (await read(urls)).allowed),
    delayMs: Math.min(Math.max(0, delaySeconds * 1_000), delayMsMax),
  };
}

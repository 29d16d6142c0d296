import { StepError } from '../../core/errors/step-error.ts';
import type { Ports } from '../ports/ports.ts';
import { limitAsStepError } from '../sandbox/sandbox.ts';
import { readRobotsTask } from './tasks.ts';

/** The minimum that crawlers must read (RFC 9309, 2.5). */
const robotsCharactersMax = 500 * 1_024;
const delayMsMax = 10_000;
const timeoutMs = 2_000;

export interface Robots {
  /** Which of these pages may be read. @throws StepError if applying the rules takes too long. */
  allows: (urls: readonly string[]) => Promise<boolean[]>;
  delayMs: number;
}

/** Fetches the rules of a site. @throws StepError if its robots.txt is unavailable: then nothing may be crawled. */
export async function fetchRobots(
  origin: string,
  { fetch, sandbox }: Pick<Ports, 'fetch' | 'sandbox'>,
  signal: AbortSignal,
): Promise<Robots> {
  const url = `${origin}/robots.txt`;
  const answer = await fetch({ url, method: 'GET', headers: {}, timeoutMs: 10_000, signal });
  if (answer.status === 429 || answer.status >= 500) {
    const message = `${url} answered ${answer.status}, so it is unknown whether the site may be crawled; try again later`;
    throw new StepError(message, { retryable: true });
  }
  const text = answer.status < 300 ? answer.text.slice(0, robotsCharactersMax) : '';
  const read = (urls: readonly string[]) =>
    sandbox(readRobotsTask, { text, urls }, { timeoutMs, signal }).catch(limitAsStepError(url, 'to apply'));
  const { delaySeconds } = await read([]);
  return {
    allows: async (urls) => (text === '' ? urls.map(() => true) : (await read(urls)).allowed),
    delayMs: Math.min(Math.max(0, delaySeconds * 1_000), delayMsMax),
  };
}

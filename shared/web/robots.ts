import robotsParser from 'robots-parser';
import type { Ports } from '../flows/ports.ts';
import { StepError } from '../flows/step.ts';
import { userAgent } from '../net/user-agent.ts';

/** Its types tell of a `default` that the package does not have. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default;

/** What the standard (RFC 9309) has a crawler read at least. */
const charactersMax = 500 * 1_024;
const delayMsMax = 10_000;

export interface Robots {
  allows: (url: string) => boolean;
  /** The pause between two requests that the site asks for. */
  delayMs: number;
}

/** What a site lets crawlers do. @throws StepError when its robots.txt cannot be asked for: then nothing is allowed. */
export async function robotsOf(origin: string, fetch: Ports['fetch'], signal: AbortSignal): Promise<Robots> {
  const url = `${origin}/robots.txt`;
  const { status, text } = await fetch({ url, method: 'GET', headers: {}, timeoutMs: 10_000, signal });
  if (status === 429 || status >= 500) {
    const message = `${url} answered ${status}: whether the site may be crawled is not known`;
    throw new StepError(message, { retryable: true });
  }
  const rules = parseRobots(url, status < 300 ? text.slice(0, charactersMax) : '');
  const seconds = rules.getCrawlDelay(userAgent) ?? 0;
  return {
    allows: (page) => rules.isAllowed(page, userAgent) !== false,
    delayMs: Math.min(Math.max(0, seconds * 1_000), delayMsMax),
  };
}

import { StepError } from '../../core/errors/step-error.ts';
import { tryParseJson } from '../../core/json/json.ts';
import { checkUrl } from '../net/addresses.ts';
import { safeFetch } from '../net/safe-fetch.ts';
import type { Ports } from '../ports/ports.ts';
import { type AgentCard, parseAgentCard } from './agent-card.ts';

const bytesMax = 1_000_000;

/** Of one request, of which there are at most four. */
const timeoutMs = 5_000;

/** The server answered, but not with a card. */
export class NoCard extends StepError {}

/**
 * The card of an agent. If the URL is not that of a document, also looks at the places where cards are by convention.
 * @param url Of the card, of the agent or of its origin.
 * @throws UrlRefused for a URL that is not allowed, or a redirect to one; NoCard if the answer is not a JSON object; other
 * StepErrors if the server is unreachable or too slow, or answers with an error or too much.
 */
export async function fetchAgentCard(
  url: string,
  signal: AbortSignal,
  fetch: Ports['fetch'] = safeFetch,
): Promise<AgentCard> {
  const [first, ...conventional] = listCardUrls(checkUrl(url));
  const failure = await fetchCard(first, signal, fetch).catch(notThere);
  if (!(failure instanceof StepError)) return failure;
  for (const place of conventional) {
    const card = await fetchCard(place, signal, fetch).catch(notThere);
    if (!(card instanceof StepError)) return card;
  }
  throw failure;
}

/** Another place of a server that responded may have the card. @throws other errors */
function notThere(error: unknown): StepError {
  if (error instanceof NoCard || error instanceof Missing) return error;
  throw error;
}

/** The server answered with a status of 400 to 499. */
class Missing extends StepError {}

function listCardUrls(url: URL): [string, ...string[]] {
  const isDocument = url.pathname.endsWith('.json') || url.pathname.includes('/.well-known/');
  if (isDocument) return [url.href];
  const below = url.pathname.replace(/\/$/, '');
  const names = ['agent-card.json', 'agent.json'].map((name) => `/.well-known/${name}`);
  const paths = new Set([`${below}${names[0]}`, ...names]);
  return [url.href, ...[...paths].map((path) => `${url.origin}${path}`)];
}

async function fetchCard(url: string, signal: AbortSignal, fetch: Ports['fetch']): Promise<AgentCard> {
  const answer = await fetch({
    url,
    method: 'GET',
    bytesMax,
    timeoutMs,
    signal,
    headers: { accept: 'application/json' },
  });
  const { status } = answer;
  if (status >= 400 && status < 500) throw new Missing(`${url} answered ${status}`);
  if (status < 200 || status >= 300) throw new StepError(`${url} answered ${status}`);
  const value = tryParseJson(answer.text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new NoCard(`${url} did not answer with a JSON object`);
  }
  return parseAgentCard(value as Record<string, unknown>);
}

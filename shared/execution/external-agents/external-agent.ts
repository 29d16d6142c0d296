import { fetchAgentCard } from '../../adapters/a2a-client/fetch-agent-card.ts';
import type { A2aAgent, A2aRequest } from '../../adapters/ports/a2a-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { StepError } from '../../core/errors/step-error.ts';
import type { CachedAgentCard, ExternalConfig } from '../../domain/agents/config/external-config.ts';
import { toCachedCard } from '../../domain/agents/external-card.ts';
import { toCredentialHeaders } from '../step-support/http-request.ts';
import { redactA2a } from '../step-support/masks.ts';

export interface ExternalAgent {
  ports: Ports;
  /** Undefined if the agent has none, or it cannot be fetched. */
  card: CachedAgentCard | undefined;
  /** What each message has. */
  base: Pick<A2aRequest, 'agent' | 'headers' | 'timeoutMs' | 'retries'>;
}

/** @param config With the value of the credentials, which does not leave the calls. @throws StepError */
export async function openExternalAgent(
  ports: Ports,
  config: ExternalConfig,
  signal: AbortSignal,
): Promise<ExternalAgent> {
  const { auth, timeoutMs = 60_000, retryCount: retries = 2 } = config;
  const inside = redactPorts(ports, auth?.credentials);
  const card = config.cachedAgentCard ?? (await fetchCard(inside, config, signal));
  const headers = toHeaders(auth);
  const base = {
    agent: toAddress(config, card, Object.keys(headers).length > 0),
    headers,
    timeoutMs,
    retries,
  };
  return { ports: inside, card, base };
}

/** @throws StepError if only the card says where the agent is. */
async function fetchCard(
  { fetch, now }: Ports,
  { agentCardUrl, endpoint }: ExternalConfig,
  signal: AbortSignal,
): Promise<CachedAgentCard | undefined> {
  try {
    const card = await fetchAgentCard(agentCardUrl ?? endpoint ?? '', signal, fetch);
    return toCachedCard(card, now().toISOString());
  } catch (error) {
    if (error instanceof StepError && endpoint) return undefined;
    throw error;
  }
}

/** The card knows the path of an agent of which the config names only the origin. */
function toAddress(
  { endpoint, agentCardUrl }: ExternalConfig,
  card: CachedAgentCard | undefined,
  hasCredentials: boolean,
): A2aAgent {
  const { url, protocolBinding, protocolVersion, capabilities } = card ?? {};
  const more = { protocolVersion, streaming: capabilities?.streaming };
  const configured = endpoint ?? agentCardUrl ?? '';
  if (url && sameOrigin(url, configured)) return { ...more, url, protocolBinding };
  if (endpoint) return { ...more, url: endpoint };
  if (!url) {
    throw new StepError("The agent's card does not say where the agent is; give externalConfig.endpoint");
  }
  if (hasCredentials) {
    throw new StepError(
      `The agent's card names another origin, ${url}; give it as externalConfig.endpoint to send your credentials there`,
    );
  }
  return { ...more, url, protocolBinding };
}

const sameOrigin = (one: string, other: string) =>
  URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin;

function toHeaders(auth: ExternalConfig['auth']): Record<string, string> {
  const { type = 'none', credentials = '', headerName } = auth ?? {};
  if (credentials === '') return {};
  const [username = '', ...password] = credentials.split(':');
  return type === 'basic'
    ? toCredentialHeaders({ type, username, password: password.join(':') })
    : toCredentialHeaders({ type, token: credentials, headerName });
}

/** A server could repeat its credentials in its responses. */
function redactPorts(ports: Ports, credentials: string | undefined): Ports {
  if (credentials === undefined) return ports;
  const password = credentials.split(':').slice(1).join(':');
  const values = new Map([['externalConfig.auth.credentials', credentials]]);
  if (password !== '') values.set('externalConfig.auth.password', password);
  return { ...ports, a2a: redactA2a(ports.a2a, values) };
}

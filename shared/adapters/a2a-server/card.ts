import type { AgentCard, AgentInterface } from '@a2a-js/sdk';
import { type A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server';
import type { CardKey } from './card-key.ts';
import type { ServedCard } from './served-agent.ts';

const jsonMode = 'application/json';
const textMode = 'text/plain';

/** The card of A2A 1.0. */
export function toAgentCard({ name, description, version, url, oidcIssuer, skills }: ServedCard): AgentCard {
  const schemes = {
    key: {
      $case: 'httpAuthSecurityScheme' as const,
      value: { scheme: 'Bearer', bearerFormat: '', description: 'A key of the surface, or an API key' },
    },
    session: {
      $case: 'openIdConnectSecurityScheme' as const,
      value: { openIdConnectUrl: toDiscoveryUrl(oidcIssuer), description: 'A session of the tenant' },
    },
  };
  return {
    name,
    description,
    version,
    provider: undefined,
    supportedInterfaces: listInterfaces(url),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false, extensions: [] },
    securitySchemes: { key: { scheme: schemes.key }, session: { scheme: schemes.session } },
    securityRequirements: Object.keys(schemes).map((scheme) => ({ schemes: { [scheme]: { list: [] } } })),
    defaultInputModes: [textMode, jsonMode],
    defaultOutputModes: [textMode, jsonMode],
    skills: skills.map((skill) => ({
      ...skill,
      examples: [],
      inputModes: [],
      outputModes: [],
      securityRequirements: [],
    })),
    signatures: [],
  };
}

const toDiscoveryUrl = (issuer: string) => `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;

const listInterfaces = (url: string): AgentInterface[] =>
  [
    ['JSONRPC', '1.0'],
    ['HTTP+JSON', '1.0'],
    ['JSONRPC', '0.3'],
  ].map(([protocolBinding = '', protocolVersion = '']) => ({
    url,
    protocolBinding,
    protocolVersion,
    tenant: '',
  }));

export interface CardSigning {
  key: CardKey;
  keysUrl: string;
}

/** The card as JSON, for the version that a client asks for. Clients of 0.3 ask for none, and get no signature. */
export async function renderCard(
  card: ServedCard,
  version = '0.3',
  signing?: CardSigning,
): Promise<Record<string, unknown>> {
  const { AgentCard: Card } = await import('@a2a-js/sdk');
  const core = toAgentCard(card);
  // The SDK leaves out what is empty, also where the protocol requires it.
  const current: Record<string, unknown> = { description: '', skills: [], ...(Card.toJSON(core) as object) };
  if (!isOfFormer(version)) return signing ? signCard(current, signing) : current;
  const { LegacyRestTransportHandler } = await import('@a2a-js/sdk/compat/v0_3/server');
  const source = { getAuthenticatedExtendedAgentCard: async () => core } as unknown as A2ARequestHandler;
  const former = await new LegacyRestTransportHandler(source).getAuthenticatedExtendedAgentCard(
    new ServerCallContext(),
  );
  return {
    ...former,
    supportedInterfaces: current.supportedInterfaces,
    authentication: { type: 'bearer', bearerAuth: { scopes: [] } },
  };
}

/** Whether a client that asks for this version gets a card of 0.3. */
export const isOfFormer = (version = '0.3') => version.startsWith('0.');

/** What a card says, and the keys that signed it. Most algorithms give another signature each time. */
export const toUnsignedCard = ({ signatures, ...card }: { signatures?: { protected?: string }[] }) => ({
  ...card,
  signedBy: signatures?.map((signature) => signature.protected),
});

/** Signs the JSON, because the SDK leaves the security schemes of its own objects out of what it signs. */
async function signCard(
  card: Record<string, unknown>,
  { key: { alg, kid, privateKey }, keysUrl }: CardSigning,
): Promise<Record<string, unknown>> {
  const { generateAgentCardSignature } = await import('@a2a-js/sdk');
  const sign = generateAgentCardSignature(privateKey, { alg, kid, typ: 'JOSE', jku: keysUrl });
  return { ...(await sign(card as unknown as AgentCard)) };
}

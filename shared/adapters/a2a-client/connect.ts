import type { AgentCard } from '@a2a-js/sdk';
import { Client, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { A2aAgent } from '../ports/a2a-port.ts';

const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory };

/** The ways to try: the agent's own version, or those that an unknown agent may have, at last without a stream. */
export function waysToTry(agent: A2aAgent): readonly Way[] {
  const { protocolVersion, streaming = false } = agent;
  const own = protocolVersion?.startsWith('0.') ? '0.3' : '1.0';
  const versions = protocolVersion === undefined ? ['1.0', '0.3'] : [own];
  return [...new Set([streaming, false])].flatMap((isStreamed) =>
    versions.map((version) => ({ version, streaming: isStreamed })),
  );
}

export interface Way {
  version: string;
  streaming: boolean;
}

/** A client for a version of the protocol. @throws StepError for a binding that HTTP clients do not have. */
export async function connectAgent(
  { url, protocolBinding = 'JSONRPC' }: A2aAgent,
  { version: protocolVersion, streaming }: Way,
  fetchImpl: typeof fetch,
): Promise<Client> {
  const name = protocolBinding.toUpperCase();
  if (name !== 'JSONRPC' && name !== 'HTTP+JSON') {
    throw new StepError(
      `The agent speaks ${protocolBinding}, which is not supported; JSONRPC and HTTP+JSON are`,
    );
  }
  const card: AgentCard = {
    name: '',
    description: '',
    version: '',
    provider: undefined,
    supportedInterfaces: [{ url, protocolBinding: name, protocolVersion, tenant: '' }],
    capabilities: { streaming, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    skills: [],
    signatures: [],
    defaultInputModes: [],
    defaultOutputModes: [],
  };
  const factory = new factories[name]({ fetchImpl, legacyCompat: { enabled: true } });
  return new Client(await factory.create(url, card), card);
}

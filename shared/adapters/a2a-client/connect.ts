import type { AgentCard } from '@a2a-js/sdk';
import { Client, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { StepError } from '../../core/errors/step-error.ts';
import type { A2aAgent } from '../ports/a2a-port.ts';

const factories = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory };

/** The versions to try: the agent's own, or those that an unknown agent may have. */
export const versionsToTry = ({ protocolVersion }: A2aAgent): readonly string[] => {
  if (protocolVersion === undefined) return ['1.0', '0.3'];
  return [protocolVersion.startsWith('0.') ? '0.3' : '1.0'];
};

/** A client for a version of the protocol. @throws StepError for a binding that HTTP clients do not have. */
export async function connectAgent(
  { url, protocolBinding = 'JSONRPC', streaming = false }: A2aAgent,
  protocolVersion: string,
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

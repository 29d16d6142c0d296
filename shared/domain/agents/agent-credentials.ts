import { hasSecretReference, replaceInScript, secretKeysInTemplate } from '../../core/secret-references.ts';
import { StepError } from '../../core/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { secretValues } from '../secrets/secret-values.ts';
import { agentCredentialReader } from '../secrets/secret-vault.ts';
import { cachedValues } from '../secrets/value-cache.ts';
import type { Agent } from './agent.ts';
import { type Configs, fieldOf, nameOfExternal, nameOfServer } from './credential-places.ts';

/** The credentials of an agent, as plain values. */
export interface AgentCredentials {
  /** The token or password of each MCP server that has one, by the server’s id. */
  mcpServers: ReadonlyMap<string, string>;
  /** Of the external agent. */
  external: string | undefined;
  /** All values with the names that the redactor shows for them. */
  values: ReadonlyMap<string, string>;
}

/** A credential in a content: its plaintext, a text with references to secrets, or the name of a stored one. */
interface Place {
  /** For messages and for the redactor. */
  label: string;
  serverId?: string;
  text: string | undefined;
  name: string;
}

/**
 * Resolves the credentials of a content: of the live agent, of a version of it, or of an inline agent. A version uses
 * the credentials that the agent has now.
 * @throws StepError if a credential or a secret has no value; another error if it cannot be read.
 */
export const agentCredentials = /* @__PURE__ */ using(
  [secretValues, agentCredentialReader],
  (scope: Scope) => {
    const read = cachedValues(scope, agentCredentialReader(scope));
    const secretsOf = secretValues(scope);

    return async (agent: Pick<Agent, 'credentials'> | null, content: Configs): Promise<AgentCredentials> => {
      const places = placesIn(content);
      const keys = [
        ...new Set(places.flatMap(({ text }) => (text === undefined ? [] : secretKeysInTemplate(text)))),
      ];
      const secrets = keys.length > 0 ? await secretsOf(keys) : new Map<string, string>();
      const resolve = async ({ label, text, name }: Place): Promise<string> => {
        if (text !== undefined && hasSecretReference(text)) return filled(text, secrets);
        if (text !== undefined) return text;
        const stored = agent?.credentials.find((credential) => credential.name === name);
        const value = stored && (await read(stored.id, stored.valueId));
        if (value === undefined)
          throw new StepError(`${label} has no credential; send it again with PUT /v1/agents/{id}`);
        return value;
      };
      const resolved = await Promise.all(
        places.map(async (place) => ({ ...place, value: await resolve(place) })),
      );
      return {
        mcpServers: new Map(resolved.flatMap(({ serverId, value }) => (serverId ? [[serverId, value]] : []))),
        external: resolved.find(({ serverId }) => !serverId)?.value,
        values: new Map([...secrets, ...resolved.map(({ label, value }) => [label, value] as const)]),
      };
    };
  },
);

function placesIn({ config, externalConfig }: Configs): Place[] {
  const servers = (config?.tools?.mcpServers ?? []).filter(({ enabled = true }) => enabled);
  const ofServers = servers.flatMap((server): Place[] => {
    const field = fieldOf(server);
    const text = field && server.auth?.[field];
    if (text === undefined && !server.auth?.configured) return [];
    return [{ label: `MCP server ${server.id}`, serverId: server.id, text, name: nameOfServer(server) }];
  });
  const { auth } = externalConfig ?? {};
  if (!externalConfig || !auth || (auth.credentials === undefined && !auth.configured)) return ofServers;
  const external = { label: 'External agent', text: auth.credentials, name: nameOfExternal(externalConfig) };
  return [...ofServers, external];
}

function filled(text: string, secrets: ReadonlyMap<string, string>): string {
  return replaceInScript(text, (key) => {
    const value = secrets.get(key);
    if (value === undefined)
      throw new StepError(`The secret ${key} has no value: set it through /v1/secrets`);
    return value;
  });
}

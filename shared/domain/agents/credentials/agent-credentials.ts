import { StepError } from '../../../core/errors/step-error.ts';
import {
  hasSecretReference,
  replaceInScript,
  secretKeysInTemplate,
} from '../../../core/secret-references.ts';
import { using } from '../../../platform/aws/uses.ts';
import type { Scope } from '../../../platform/data/scope.ts';
import { credentialField, type McpServer } from '../../flows/steps/mcp-server.ts';
import { createCachedReader, secretValues } from '../../secrets/secret-values.ts';
import { agentCredentialReader } from '../../secrets/secret-vault.ts';
import { agentEntity } from '../config/agent.ts';
import type { ExternalConfig } from '../config/external-config.ts';
import { type Configs, nameOfExternal, nameOfServer } from './credential-places.ts';

/** The servers of an agent with the values of their credentials. Never store or return them. */
export interface AgentCredentials {
  /** The enabled MCP servers. Those whose credential has no value are left out. */
  mcpServers: McpServer[];
  externalConfig: ExternalConfig | null;
  /** All values, by the names that the redactor shows for them. */
  values: ReadonlyMap<string, string>;
  /** Sentences about the servers that are left out. */
  warnings: string[];
}

/** A credential: a text, which may reference secrets, or the name of a stored one. */
interface Place {
  /** For messages and for the redactor. */
  label: string;
  text: string | undefined;
  name: string;
}

/**
 * Resolves the credentials of a content: of the live agent, of a version of it, or of an inline agent. A version uses
 * the credentials that the agent has now.
 * @throws StepError if the credential of the external agent has no value; another error if one cannot be read.
 */
export const agentCredentials = /* @__PURE__ */ using(
  ['table:read', secretValues, agentCredentialReader],
  (scope: Scope) => {
    const { table } = scope;
    const read = createCachedReader(scope, agentCredentialReader(scope));
    const secretsOf = secretValues(scope);

    /** @param agentId Null for an inline agent. */
    return async (agentId: string | null, { config, externalConfig }: Configs): Promise<AgentCredentials> => {
      const servers = (config?.tools?.mcpServers ?? []).filter(({ enabled = true }) => enabled);
      const external = externalConfig && placeOfExternal(externalConfig);
      const places = [...servers.map(findPlace), external].filter((place) => place != null);
      const keys = places.flatMap(({ text }) => (text === undefined ? [] : secretKeysInTemplate(text)));
      const isStored = agentId !== null && places.some(({ text }) => text === undefined);
      const [secrets, agent] = await Promise.all([
        keys.length > 0 ? secretsOf([...new Set(keys)]) : new Map<string, string>(),
        isStored ? table.get(agentEntity, { id: agentId }, { consistent: true }) : undefined,
      ]);
      const values = new Map(secrets);

      async function resolve({ label, text, name }: Place): Promise<string> {
        const stored = agent?.credentials.find((credential) => credential.name === name);
        const value =
          text === undefined ? stored && (await read(stored.id, stored.valueId)) : fillSecrets(text, secrets);
        if (value === undefined)
          throw new StepError(`${label} has no credential; send it with PUT /v1/agents/{id}`);
        values.set(label, value);
        return value;
      }

      const warnings: string[] = [];
      async function open(server: McpServer): Promise<McpServer[]> {
        const [place, field] = [findPlace(server), credentialField(server)];
        if (!place || !field || !server.auth) return [server];
        try {
          return [{ ...server, auth: { ...server.auth, [field]: await resolve(place) } }];
        } catch (error) {
          if (!(error instanceof StepError)) throw error;
          warnings.push(`The tools of the MCP server "${server.id}" are not available: ${error.message}`);
          return [];
        }
      }

      const mcpServers = (await Promise.all(servers.map(open))).flat();
      const credentials = external && (await resolve(external));
      return {
        mcpServers,
        externalConfig: credentials ? setCredentials(externalConfig, credentials) : externalConfig,
        values,
        warnings,
      };
    };
  },
);

function findPlace(server: McpServer): Place | undefined {
  const field = credentialField(server);
  const text = field && server.auth?.[field];
  if (text === undefined && !server.auth?.configured) return undefined;
  return { label: `MCP server ${server.id}`, text, name: nameOfServer(server) };
}

function placeOfExternal(externalConfig: ExternalConfig): Place | undefined {
  const { credentials: text, configured } = externalConfig.auth ?? {};
  if (text === undefined && !configured) return undefined;
  return { label: 'External agent', text, name: nameOfExternal(externalConfig) };
}

const setCredentials = (externalConfig: ExternalConfig, credentials: string): ExternalConfig => ({
  ...externalConfig,
  auth: { type: 'none', ...externalConfig.auth, credentials },
});

function fillSecrets(text: string, secrets: ReadonlyMap<string, string>): string {
  if (!hasSecretReference(text)) return text;
  return replaceInScript(text, (key) => {
    const value = secrets.get(key);
    if (value === undefined)
      throw new StepError(`The secret ${key} has no value; set it through /v1/secrets`);
    return value;
  });
}

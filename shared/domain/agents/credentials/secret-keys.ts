import { iterateTexts } from '../../../core/json/json-texts.ts';
import { secretKeysInTemplate } from '../../../core/secret-references.ts';
import { secretKeysOfTool } from '../../tools/secret-keys.ts';
import type { AgentContent } from '../config/agent.ts';

/** The texts of an agent that may reference secrets: the credentials of its servers. */
export function* listCredentialTexts({
  config,
  externalConfig,
}: Pick<AgentContent, 'config' | 'externalConfig'>): Generator<{ text: string; path: PropertyKey[] }> {
  for (const [index, { auth }] of (config?.tools?.mcpServers ?? []).entries()) {
    for (const field of ['token', 'password'] as const) {
      const text = auth?.[field];
      if (text !== undefined) yield { text, path: ['config', 'tools', 'mcpServers', index, 'auth', field] };
    }
  }
  const text = externalConfig?.auth?.credentials;
  if (text !== undefined) yield { text, path: ['externalConfig', 'auth', 'credentials'] };
}

/** The keys of the secrets that an agent references, itself or in its runtime tools. */
export const secretKeysOfAgent = (content: Pick<AgentContent, 'config' | 'externalConfig'>): string[] => [
  ...new Set([
    ...[...listCredentialTexts(content)].flatMap(({ text }) => secretKeysInTemplate(text)),
    ...(content.config?.tools?.runtimeTools ?? []).flatMap(secretKeysOfTool),
  ]),
];

/** The other texts of an agent, in which a reference has no effect. Without those of an agent card: its server wrote it. */
export function* listOtherTexts(content: AgentContent): Generator<{ text: string; path: PropertyKey[] }> {
  const { config, externalConfig, vendorManagedConfig, capabilities } = content;
  const { cachedAgentCard: _card, ...external } = externalConfig ?? {};
  const configs = { config, externalConfig: external, vendorManagedConfig, capabilities };
  const isExempt = ([member, ...path]: PropertyKey[]) =>
    (member === 'config' && path[1] === 'mcpServers' && path[3] === 'auth') ||
    (member === 'config' && path[1] === 'runtimeTools' && path[3] === 'config') ||
    (member === 'externalConfig' && path[0] === 'auth');
  for (const { text, path } of iterateTexts(configs, [], depthMax)) if (!isExempt(path)) yield { text, path };
}

/** Deeper than any valid config. */
const depthMax = 100;

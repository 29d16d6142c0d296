import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import { isPlain } from '../../../adapters/templates/limits.ts';
import { type ErrorDetail, invalid, toDetail } from '../../../core/errors/errors.ts';
import {
  hasSecretReference,
  replaceInScript,
  secretKeysInTemplate,
  secretNameProblem,
} from '../../../core/secret-references.ts';
import { toErrorDetails } from '../../../platform/http/validation.ts';
import { findDuplicates } from '../../duplicates.ts';
import { findSyntaxProblems } from '../../flows/steps/config-texts.ts';
import { SecretValue } from '../../secrets/secret.ts';
import { findParametersProblems } from '../../tools/check-tool.ts';
import { findOwnToolProblems } from '../../tools/own-tool-problems.ts';
import type { AgentContent } from '../config/agent.ts';
import type { AgentTools } from '../config/agent-config.ts';
import { listCredentialTexts, listOtherTexts, secretKeysOfAgent } from '../credentials/secret-keys.ts';
import { resolvePool } from './named-tools.ts';

/** The transaction that saves the agent writes one item per secret. */
const secretsMax = 40;

/** Checks syntax, JSON Schemas, runtime tools, duplicates and secrets. @throws ServiceError 400 that lists all problems. */
export async function checkAgent(content: AgentContent, sandbox: Sandbox): Promise<void> {
  const problems = [
    ...findDuplicates(content.capabilities, 'toolName', ['capabilities']),
    ...findPoolProblems(content.config?.tools),
    ...findSecretProblems(content),
    ...(await findSyntaxProblems(listTemplates(content), sandbox)),
    ...(await findOwnToolProblems(content.config?.tools ?? {}, ['config', 'tools'], sandbox)),
    ...(
      await Promise.all(
        content.capabilities.map(({ parametersSchema }, index) =>
          findParametersProblems(parametersSchema, ['capabilities', index, 'parametersSchema'], sandbox),
        ),
      )
    ).flat(),
  ];
  if (problems.length > 0) throw invalid(problems);
}

/** Which tools a server has is known only when the agent runs. */
const findPoolProblems = (tools: AgentTools = {}): ErrorDetail[] =>
  (['subagentConfig', 'codeModeConfig'] as const).flatMap((member) => {
    const { toolPool = [] } = tools[member] ?? {};
    return resolvePool(toolPool, tools).unknown.map((index) =>
      toDetail(
        ['config', 'tools', member, 'toolPool', index],
        'INVALID_VALUE',
        createUnknownTool(toolPool[index]),
      ),
    );
  });

const createUnknownTool = (name = '') =>
  `The agent has no tool "${name}": expected tool_<26 characters>, builtin:<id>, the name of one of its runtimeTools, or mcp:<server>:<tool> of one of its mcpServers that allows the tool`;

function listTemplates({ config }: AgentContent) {
  const { systemPrompt = '', memory } = config ?? {};
  return [
    { kind: 'template' as const, text: systemPrompt, path: ['config', 'systemPrompt'] },
    {
      kind: 'template' as const,
      text: memory?.profileTemplate ?? '',
      path: ['config', 'memory', 'profileTemplate'],
    },
  ].filter(({ text }) => !isPlain(text));
}

function findSecretProblems(content: AgentContent): ErrorDetail[] {
  const misplaced = [...listOtherTexts(content)].filter(({ text }) => hasSecretReference(text));
  const keys = secretKeysOfAgent(content);
  return [
    ...misplaced.map(({ path }) => toDetail(path, 'SECRET_NOT_ALLOWED', notHere)),
    ...[...listCredentialTexts(content)].flatMap(findCredentialProblems),
    ...(keys.length > secretsMax
      ? [toDetail(['config'], 'TOO_MANY_SECRETS', `An agent references at most ${secretsMax} secrets`)]
      : []),
  ];
}

function findCredentialProblems({ text, path }: { text: string; path: PropertyKey[] }): ErrorDetail[] {
  if (!hasSecretReference(text)) return toErrorDetails(SecretValue.safeParse(text).error?.issues ?? [], path);
  const problem =
    secretNameProblem(secretKeysInTemplate(text)) ?? (isResolvable(text) ? undefined : notResolvable);
  return problem ? [toDetail(path, 'INVALID_TEMPLATE', problem)] : [];
}

const isResolvable = (text: string) => !hasSecretReference(replaceInScript(text, () => ''));

const notHere =
  'Secrets can be used in the credentials of MCP servers and external agents, and in the configs of runtime tools';
const notResolvable = 'A credential references a secret as {{secret:KEY}}, without filters';

import { readTextsTask } from '../../adapters/code/tasks.ts';
import type { FlowText } from '../../adapters/code/texts.ts';
import type { Sandbox } from '../../adapters/sandbox/sandbox.ts';
import { ifMissing } from '../../core/errors/errors.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { covers } from '../../platform/identity/permissions.ts';
import { flowFinder } from '../flows/flow-store.ts';
import { isFlowText } from '../flows/steps/config-texts.ts';
import { findSecrets } from '../secrets/find-secrets.ts';
import { type CheckedTool, listToolTexts } from './check-tool.ts';
import { secretKeysOfTool } from './secret-keys.ts';
import { isHostFixed } from './tool-types/request-config.ts';

export interface ToolWarning {
  code: string;
  message: string;
  severity: 'warning';
  suggestion?: string;
}

const createWarning = (code: string, message: string, suggestion?: string): ToolWarning => ({
  code,
  message,
  severity: 'warning',
  ...(suggestion !== undefined && { suggestion }),
});

const timeoutMs = 2_000;
const listedMax = 20;

/** Likely mistakes. What the caller may not read is not looked up. */
export const toolWarnings = /* @__PURE__ */ using(
  ['table:read', flowFinder],
  (scope: Scope) =>
    async (
      tool: CheckedTool,
      { permissions, sandbox }: { permissions: readonly string[]; sandbox: Sandbox },
    ): Promise<ToolWarning[]> => {
      const found = await Promise.all([
        findVariableWarnings(tool, sandbox),
        tool.toolType === 'flow' && covers(permissions, 'FLOWS:READ') ? findFlowWarnings(scope, tool) : [],
        covers(permissions, 'SECRETS:READ') ? findSecretWarnings(scope, tool) : [],
      ]);
      return [...hostWarnings(tool), ...found.flat()].slice(0, listedMax);
    },
);

function hostWarnings({ config: { url } }: CheckedTool): ToolWarning[] {
  if (typeof url !== 'string' || isHostFixed(url)) return [];
  const message = 'The arguments decide to which server the tool sends its request';
  return [createWarning('HOST_FROM_ARGUMENTS', message, 'Begin the URL with a literal host')];
}

/** Names that the texts of a config read besides the arguments. */
const builtinNames = new Set(['input', 'variables', 'secrets']);

async function findVariableWarnings(tool: CheckedTool, sandbox: Sandbox): Promise<ToolWarning[]> {
  const { properties, ...others } = tool.parametersSchema as { properties?: Record<string, unknown> };
  const declared = Object.keys(properties ?? {});
  const reserved = declared
    .filter((name) => builtinNames.has(name))
    .map((name) =>
      createWarning('RESERVED_PARAMETER', `The config cannot read the parameter ${name} by its name`),
    );
  const read = await analyseReads(tool, sandbox);
  if (!read) return reserved;
  const unused = declared.filter((name) => !builtinNames.has(name) && !read.names.has(name));
  const isOpen = ['$ref', 'allOf', 'anyOf', 'oneOf', 'patternProperties'].some((name) => name in others);
  const undefinedNames = isOpen
    ? []
    : [...read.names].filter((name) => !builtinNames.has(name) && !declared.includes(name));
  return [
    ...reserved,
    ...(read.everything || read.names.has('input') ? [] : unused).map((name) =>
      createWarning('UNUSED_PARAMETER', `The config does not use the parameter ${name}`),
    ),
    ...undefinedNames.map((name) =>
      createWarning(
        'UNDEFINED_VARIABLE',
        `The config reads ${name}, which is no parameter`,
        `Add ${name} to parametersSchema.properties`,
      ),
    ),
  ];
}

interface Reads {
  names: Set<string>;
  everything: boolean;
}

/** What the config reads; undefined if its type passes on all arguments, or its texts take too long to read. */
async function analyseReads(tool: CheckedTool, sandbox: Sandbox): Promise<Reads | undefined> {
  const passesOn = tool.toolType === 'graphql' && tool.config.variables === undefined;
  if (!['custom', 'external', 'graphql'].includes(tool.toolType) || passesOn) return undefined;
  const texts = listToolTexts(tool)
    .filter(isFlowText)
    .map(({ kind, text }): FlowText => ({ kind, text }));
  const all = await sandbox(readTextsTask, texts, { timeoutMs }).catch(() => undefined);
  if (!all) return undefined;
  return {
    names: new Set(all.flatMap(({ reads }) => reads.names.map(({ name }) => name))),
    everything: all.some(({ reads }) => reads.everything),
  };
}

async function findFlowWarnings(scope: Scope, { config }: CheckedTool): Promise<ToolWarning[]> {
  const flowId = String(config.flowId);
  const flow = await flowFinder(scope).find(flowId).catch(ifMissing(undefined));
  if (!flow) return [createWarning('UNKNOWN_FLOW', `There is no flow ${flowId}`)];
  if (flow.publishedVersionId) return [];
  const message = `The flow "${flow.name}" has no published version, which the tool runs`;
  return [createWarning('FLOW_NOT_PUBLISHED', message, 'Publish the flow')];
}

async function findSecretWarnings({ table }: Scope, tool: CheckedTool): Promise<ToolWarning[]> {
  const keys = secretKeysOfTool(tool);
  const secrets = await findSecrets(table, keys);
  return keys
    .filter((key) => secrets.get(key)?.status !== 'active')
    .map((key) =>
      createWarning('UNKNOWN_SECRET', `The secret ${key} has no value`, 'Set it through /v1/secrets'),
    );
}

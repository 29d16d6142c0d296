import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { schemaProblems } from '../../../../shared/adapters/json-schema/json-schema.ts';
import { newId } from '../../../../shared/core/ids.ts';
import { ToolReference } from '../../../../shared/domain/flows/steps/tool-reference.ts';
import { type BuiltinTool, schemaOfBuiltin } from '../../../../shared/domain/tools/builtin/builtin-tool.ts';
import { builtinTools } from '../../../../shared/domain/tools/builtin/index.ts';
import { toolTypes } from '../../../../shared/domain/tools/tool-types/index.ts';
import { isHostFixed } from '../../../../shared/domain/tools/tool-types/request-config.ts';
import { findRuntimeType } from '../../../../shared/domain/tools/tool-types/runtime-types.ts';
import type { ToolType } from '../../../../shared/domain/tools/tool-types/tool-type.ts';
import {
  askAdvisorTool,
  createArtifactTools,
  createMemoryTools,
} from '../../../../shared/execution/agent-runs/agent-tool.ts';
import { spawnTool, subAgentTool } from '../../../../shared/execution/agent-runs/sub-agents.ts';
import { loadBuiltinRunner } from '../../../../shared/execution/tools/builtin/index.ts';
import { findToolRunner } from '../../../../shared/execution/tools/types/index.ts';
import { permissionNames } from '../../../../shared/platform/identity/permissions.ts';
import { testSandbox } from '../../../support/flows/sandbox.ts';

const types = Object.entries<ToolType>(toolTypes);
const builtins = Object.entries<BuiltinTool>(builtinTools);

/** The permission of each, a second time: add a new one here too, with what it does to the tenant's data. */
const permissions: Record<string, string | null> = {
  flow: 'FLOWS:EXECUTE',
  custom: null,
  external: null,
  graphql: null,
  mcp: null,
  local: null,
  subagent: 'AGENTS:EXECUTE',
  'web-search': null,
  'fetch-url': null,
  'code-sandbox': null,
  'date-time': null,
  calculator: null,
  'json-query': null,
  'record-search': 'RECORDS:READ',
  'record-upsert': 'RECORDS:WRITE',
  'vector-search': 'RECORDS:READ',
  'send-email': null,
};
/** Which may reference secrets: those whose authors decide where a value goes. */
const secretTakers = ['custom', 'external', 'graphql', 'mcp'];

test('every type states a name, a permission, its effects and whether it takes secrets; nothing is open by default', () => {
  for (const [name, type] of types) {
    expect(type).toMatchObject({ type: name, permission: permissions[name], effects: expect.any(Boolean) });
    expect(type.takesSecrets !== false, name).toBe(secretTakers.includes(name));
    expect(type.config.safeParse({ unknownMember: 1 }).success, name).toBe(false);
    if (type.permission) expect(permissionNames).toContain(type.permission);
  }
});

const filesIn = (folder: string) =>
  readdirSync(join(import.meta.dirname, '../../../../', folder))
    .map((name) => basename(name, '.ts'))
    .filter((name) => name !== 'index');

test('every type has a runner of its name, except those that the service cannot run', () => {
  // Types that only the config of an agent may define are not among those that can be stored.
  const names = [...types.map(([name]) => name), 'advisor', 'search'];
  const runnable = names.filter((name) => findToolRunner(name) && findRuntimeType(name));
  expect(filesIn('shared/execution/tools/types').toSorted()).toEqual(runnable.toSorted());
  expect(findToolRunner('constructor')).toBeUndefined();
});

test.each(builtins)(
  'the built-in tool %s declares what it needs, with a valid and bounded schema',
  async (id, tool) => {
    expect(tool).toMatchObject({
      id,
      permission: permissions[id],
      takesSecrets: false,
      effects: expect.any(Boolean),
    });
    expect(ToolReference.safeParse(`builtin:${id}`).success).toBe(true);
    const schema = schemaOfBuiltin(tool);
    expect(await schemaProblems(testSandbox, schema)).toEqual([]);
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(unboundedIn(schema)).toEqual([]);
    expect(undescribedIn(schema)).toEqual([]);
    for (const name of Object.keys(tool.defaultConfig)) expect(schema.properties).toHaveProperty(name);
    expect(Object.keys(await loadBuiltinRunner(id))).toEqual(['perform']);
  },
);

test('every built-in tool has a runner of its name', () => {
  expect(filesIn('shared/execution/tools/builtin').toSorted()).toEqual(builtins.map(([id]) => id).toSorted());
});

test('the tools that only agents have describe each parameter', () => {
  const ports = {} as never;
  const tools = [
    ...createArtifactTools(['markdown'], newId),
    ...createMemoryTools(ports),
    askAdvisorTool(ports, { model: 'm' }, () => []),
    subAgentTool(ports, 'agent_1'),
    spawnTool(ports, { toolPool: ['builtin:calculator'] }, 'm', {}, {}),
  ];
  expect(tools.length).toBe(7);
  for (const { name, parameters } of tools) expect([name, undescribedIn(parameters)]).toEqual([name, []]);
});

interface Described {
  properties?: Record<string, Described>;
  items?: Described;
  anyOf?: Described[];
  oneOf?: Described[];
  description?: string;
}

/** The paths of parameters without a description, by which a model chooses their values; also in lists and choices. */
function undescribedIn(schema: unknown, path = ''): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema as Described;
  const inside = [...(items ? [items] : []), ...anyOf, ...oneOf];
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      ...(member.description ? [] : [`${path}.${name}`]),
      ...undescribedIn(member, `${path}.${name}`),
    ]),
    ...inside.flatMap((each) => undescribedIn(each, `${path}[]`)),
  ];
}

/** The paths of texts, numbers and lists without an upper bound. */
function unboundedIn(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    type,
    maxLength,
    maximum,
    maxItems,
    enum: values,
    const: value,
  } = schema as Record<string, unknown>;
  const isOpen =
    (type === 'string' && maxLength === undefined && values === undefined && value === undefined) ||
    ((type === 'number' || type === 'integer') && maximum === undefined && !path.includes('variables')) ||
    (type === 'array' && maxItems === undefined);
  const inside = Object.entries(schema).flatMap(([name, member]) =>
    name === 'propertyNames' ? [] : unboundedIn(member, `${path}.${name}`),
  );
  return isOpen ? [path, ...inside] : inside;
}

test('whether a host is fixed: no argument decides it', () => {
  for (const url of [
    'https://api.example/{{ a }}',
    'https://api.example?{{ a }}',
    'https://api.example',
    'https://{{secret:HOST}}/x/{{ a }}',
    '{{secret:BASE_URL}}/x/{{ a }}',
    '{{secret:WHOLE_URL}}',
  ]) {
    expect(isHostFixed(url), url).toBe(true);
  }
  for (const url of [
    '{{ url }}',
    'https://{{ host }}/',
    'https://api.example{{ a }}',
    'https://api.example:{{ port }}/',
    'https://{{ user }}@api.example/',
    '{{secret:BASE}}{{ a }}/x',
    '{% if a %}https://a.example{% endif %}/',
    'https:{{ a }}',
    'https://api.example\\{{ a }}',
  ]) {
    expect(isHostFixed(url), url).toBe(false);
  }
});

test('where a host is fixed, whatever follows it leaves it as it is', () => {
  const anything = fc.stringMatching(/^[a-zA-Z0-9@:./\\?#%&=;\s-]{0,20}$/);
  fc.assert(
    fc.property(anything, anything, (first, second) => {
      const template = `https://api.example${first}{{ a }}`;
      fc.pre(isHostFixed(template) && URL.canParse(`https://api.example${first}`));
      const { host } = new URL(`https://api.example${first}`);
      const filled = `https://api.example${first}${encodeURIComponent(second)}`;
      expect(URL.canParse(filled) ? new URL(filled).host : host).toBe(host);
    }),
    { numRuns: 2_000 },
  );
});

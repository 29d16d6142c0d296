import { isObject, type JsonObject } from '../../../ui/values/schema.ts';
import { shellText } from '../../../ui/values/shell-text.ts';
import type { SurfaceRequest } from './surface-call.ts';

export const languages = ['curl', 'TypeScript', 'Python'] as const;
export type Language = (typeof languages)[number];

/** What stands for a key until there is one: a variable of the environment. */
const variable = 'SURFACE_KEY';

const pretty = (value: unknown) => JSON.stringify(value, undefined, 2);

/** A program that sends the request and prints the response. Runs as it stands, with a key or with the variable. */
export const programs: Record<Language, (call: SurfaceRequest, key: string | undefined) => string> = {
  curl({ url, headers, body }, key) {
    const lines = [
      `curl ${url}`,
      `-H "authorization: Bearer ${key ?? `$${variable}`}"`,
      ...Object.entries(headers).map(([name, value]) => `-H "${name}: ${value}"`),
      `-d ${shellText(pretty(body))}`,
    ];
    return lines.join(' \\\n  ');
  },

  TypeScript({ url, headers, body }, key) {
    const authorization = key ? quoted(`Bearer ${key}`) : `\`Bearer \${process.env.${variable}}\``;
    const members = Object.entries(headers).map(([name, value]) => `    ${quoted(name)}: ${quoted(value)},`);
    return `const response = await fetch(${quoted(url)}, {
  method: 'POST',
  headers: {
    authorization: ${authorization},
${members.join('\n')}
  },
  body: JSON.stringify(${pretty(body).replaceAll('\n', '\n  ')}),
});
if (!response.ok) throw new Error(await response.text());
console.log(await response.text());`;
  },

  Python({ url, headers, body }, key) {
    const authorization = key ? JSON.stringify(`Bearer ${key}`) : `"Bearer " + os.environ["${variable}"]`;
    const members = Object.entries(headers).map(
      ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
    );
    return `import json
import os
import urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method="POST",
    headers={
        "authorization": ${authorization},
${members.join('\n')}
    },
    data=json.dumps(${pythonOf(body, 4)}).encode(),
)
with urllib.request.urlopen(request) as response:
    print(response.read().decode())`;
  },
};

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** A JSON value as a literal of Python. */
function pythonOf(value: unknown, indent: number): string {
  const inner = ' '.repeat(indent + 4);
  const list = (open: string, members: readonly string[], close: string) =>
    members.length === 0
      ? open + close
      : `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${' '.repeat(indent)}${close}`;
  if (Array.isArray(value)) {
    return list(
      '[',
      value.map((each) => pythonOf(each, indent + 4)),
      ']',
    );
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value);
    return list(
      '{',
      members.map(([name, member]) => `${JSON.stringify(name)}: ${pythonOf(member, indent + 4)}`),
      '}',
    );
  }
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

/** The settings of an MCP client. */
export const mcpSettings = (address: string, key: string | undefined) =>
  pretty({
    mcpServers: {
      agentFlow: { url: `${address}/mcp`, headers: { Authorization: `Bearer ${key ?? variable}` } },
    },
  });

/** Where clients of A2A find out how the agent is reached. It is public while the surface is active. */
export const agentCard = (address: string) =>
  [`curl ${address}/a2a/.well-known/agent-card.json`, '-H "a2a-version: 1.0"'].join(' \\\n  ');

/** A page with the chat. */
export const widgetPage = (baseUrl: string, token: string | undefined) => `<div id="chat"></div>
<script type="module">
  import { initAgentWidget } from '@runtypelabs/persona';

  initAgentWidget({
    target: '#chat',
    config: { apiUrl: '${baseUrl}', clientToken: '${token ?? 'ct_live_…'}' },
  });
</script>`;

const depthMax = 5;

/** A value that a schema allows, made of its examples where it has some. Somebody else wrote it: it may be anything. */
function exampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > depthMax) return 'text';
  const { examples, enum: allowed, oneOf, anyOf, type, format } = schema;
  if ('example' in schema) return schema.example;
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  if ('default' in schema) return schema.default;
  if ('const' in schema) return schema.const;
  if (Array.isArray(allowed) && allowed.length > 0) return allowed[0];
  const [variant] = [oneOf ?? anyOf].flat();
  if (isObject(variant)) return exampleOf(variant, depth + 1);
  const [kind] = [type].flat();
  if (kind === 'object' || isObject(schema.properties)) return exampleBody(schema, depth + 1);
  if (kind === 'array') return [exampleOf(schema.items, depth + 1)];
  if (kind === 'integer' || kind === 'number') return typeof schema.minimum === 'number' ? schema.minimum : 1;
  if (kind === 'boolean') return true;
  if (kind === 'null') return null;
  return formats[String(format)] ?? 'text';
}

const formats: Record<string, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00Z',
  email: 'ada@example.com',
  uri: 'https://example.com',
};

/** The members of an example: the required ones, or all if none is. */
export function exampleBody(schema: unknown, depth = 0): JsonObject {
  if (!isObject(schema) || !isObject(schema.properties)) return {};
  const { properties, required } = schema;
  const named = Array.isArray(required) && required.length > 0 ? required : Object.keys(properties);
  const members = named.map((name) => [String(name), exampleOf(properties[String(name)], depth)] as const);
  return Object.fromEntries(members);
}

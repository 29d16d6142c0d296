import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { newRecord } from '../../support/data/records.ts';
import { expectStatus, publishedFlow, template } from '../../support/flows/flows.ts';
import { newTenant, stack } from '../../support/stack/stack.ts';
import { addSurfaceKey, makePrompt, scriptStep } from '../../support/surfaces/mcp-surface.ts';
import { addCapability, addItem, createProduct, createSurface } from '../../support/surfaces/products.ts';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
const suite = fromRoot('node_modules/@modelcontextprotocol/conformance/dist/index.js');
const protocols = ['2025-11-25', '2026-07-28'];
/** The checks that need what mcp surfaces do not have. */
const expectedOf = (protocol: string) => fromRoot(`test/support/servers/mcp-conformance-${protocol}.yaml`);
/** The suite needs Node 22. */
const node = fromRoot('node_modules/.bin/node');

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', data: png, mimeType: 'image/png' };
const audio = { type: 'audio', data: 'UklGRiQAAABXQVZF', mimeType: 'audio/wav' };
const resource = (uri: string, text: string) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text },
});
const returning = (value: unknown) => [scriptStep(`return ${JSON.stringify(value)}`)];
const says = (content: unknown) => ({ role: 'user', content });

/** What the scenarios call. */
const tools: Record<string, object[]> = {
  test_simple_text: [template('This is a simple text response for testing.')],
  test_error_handling: [scriptStep('throw Error("This tool intentionally returns an error for testing")')],
  test_tool_with_progress: [template('1', 'a'), template('2', 'b'), template('3', 'c')],
  // Their streams must hold no requests and no log.
  test_streaming_elicitation: [template('1', 'a'), template('2', 'b')],
  test_logging_tool: [template('1', 'a'), template('2', 'b')],
  json_schema_2020_12_tool: [template('1')],
  test_header: [template('{{ region }}')],
  test_image_content: returning({ content: [image] }),
  test_audio_content: returning({ content: [audio] }),
  test_embedded_resource: returning({ content: [resource('test://embedded-resource', 'Embedded')] }),
  test_multiple_content_types: returning({
    content: [
      { type: 'text', text: 'Multiple content types test:' },
      image,
      resource('test://mixed-content-resource', '{"test":"data","value":123}'),
    ],
  }),
};
const prompts: Record<string, object[]> = {
  test_simple_prompt: [template('This is a simple prompt for testing.')],
  test_prompt_with_arguments: [template("Prompt with arguments: arg1='{{ arg1 }}', arg2='{{ arg2 }}'")],
  test_prompt_with_embedded_resource: [
    scriptStep(`return { messages: [
      { role: 'user', content: { type: 'resource', resource: { uri: resourceUri, text: 'Embedded' } } },
      { role: 'user', content: 'Please process the embedded resource above.' },
    ] }`),
  ],
  test_prompt_with_image: returning({
    messages: [says(image), says('Please analyze the image above.')],
  }),
};

/** The parameters of tools where they matter. */
const parameters: Record<string, object> = {
  test_header: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { city: { type: 'string' } } } },
    properties: {
      address: { $ref: '#/$defs/address' },
      contact: { type: 'string' },
      phone: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['contact'] }] }],
    if: { properties: { contact: { const: 'phone' } }, required: ['contact'] },
    // biome-ignore lint/suspicious/noThenProperty: A keyword of JSON Schema.
    then: { required: ['phone'] },
    else: { required: ['contact'] },
    additionalProperties: false,
  },
};

/** A surface with the tools and prompts of the scenarios and a record, and a key of it. */
async function surfaceForScenarios() {
  const tenant = await newTenant();
  const { id: productId } = await createProduct(tenant);
  const behavior = { resources: { recordTypes: ['city'] } };
  const surface = await createSurface(tenant, productId, { type: 'mcp', status: 'active', behavior });
  await newRecord(tenant, { type: 'city', name: 'Bern' });
  const path = `/v1/products/${productId}/surfaces/${surface.id}`;
  for (const [exposedName, steps] of Object.entries({ ...tools, ...prompts })) {
    const { id: flowId } = await publishedFlow(tenant, steps);
    const named = { capabilityName: exposedName, capabilityDescription: 'A scenario', flowId };
    const given = { ...named, parametersSchema: parameters[exposedName] };
    const { id: capabilityId } = await expectStatus(201, addCapability(tenant, productId, given));
    const item = await expectStatus(201, addItem(tenant, surface, { capabilityId, exposedName }));
    if (exposedName in prompts) await makePrompt(tenant, path, item);
  }
  return {
    url: `${stack().url}${path}/mcp`,
    key: await addSurfaceKey(tenant, path, { environment: 'production' }),
  };
}

/** The suite sends no credentials. @returns a URL that adds the key to each request, and stands for the origin of the API. */
async function withKey({ url, key }: { url: string; key: string }): Promise<string> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers } = incoming;
    const isOwn = headers.host === own() && headers.origin === `http://${own()}`;
    const mapped = { ...headers, ...(isOwn && { origin: new URL(url).origin }) };
    const forwarded = request(url, { method, headers: { ...mapped, authorization: `Bearer ${key}` } });
    forwarded.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 500, response.headers);
      pipeline(response, outgoing).catch(() => {});
    });
    pipeline(incoming, forwarded).catch(() => outgoing.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const own = () => `localhost:${(server.address() as AddressInfo).port}`;
  return `http://${own()}/mcp`;
}

// The suite has time limits of its own, which a busy machine exceeds.
test.each(protocols)(
  '%s: the conformance suite of the protocol fails in the expected checks only',
  { timeout: 60_000, retry: 1 },
  async (protocol) => {
    const url = await withKey(await surfaceForScenarios());
    const chosen = ['--suite', 'all', '--spec-version', protocol];
    const args = ['server', '--url', url, ...chosen, '--expected-failures', expectedOf(protocol)];
    const child = spawn(node, [suite, ...args]);
    const [output, [status]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    expect([status, output]).toEqual([
      0,
      expect.stringContaining('tools-call-with-progress: 2 passed, 0 failed'),
    ]);
  },
);

test.each(protocols)('%s: the table names every scenario that is expected to fail', async (protocol) => {
  const [yaml = '', document = ''] = await Promise.all(
    [expectedOf(protocol), fromRoot('docs/mcp-conformance.md')].map((path) => readFile(path, 'utf8')),
  );
  const [, after = ''] = document.split(`## As a server of ${protocol}\n`);
  const [table = ''] = after.split('\n## ');
  const names = new Set([...yaml.matchAll(/^ {2}- ([^\s:]+)/gm)].map(([, name]) => name));
  const failed = [...table.matchAll(/^\| `(\S+)` \| fails/gm)].map(([, name]) => name);
  expect(failed.sort()).toEqual([...names].sort());
});

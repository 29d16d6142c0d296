import { Readable } from 'node:stream';
import * as z from 'zod';
import { writeYamlTask } from '../../shared/adapters/data-formats/tasks.ts';
import { limitQueueTime, sandbox } from '../../shared/adapters/sandbox/sandbox.ts';
import { tooLarge } from '../../shared/core/errors/errors.ts';
import { documentKinds, kindsInOrder } from '../../shared/domain/workspace/kinds/index.ts';
import { resourcesMax } from '../../shared/domain/workspace/kinds/read-all.ts';
import { renderEntry, toStoredEntries, workspaceReader } from '../../shared/domain/workspace/snapshot.ts';
import { defineEndpoint } from '../../shared/platform/http/endpoint.ts';
import { toStreamingLambda } from '../../shared/platform/http/lambda/streaming-lambda.ts';
import { countResponseBytes, responseBytesMax } from '../../shared/platform/http/responses/body-sizes.ts';
import { covers } from '../../shared/platform/identity/permissions.ts';
import { WorkspaceDocument } from './schemas.ts';

export const getWorkspace = defineEndpoint({
  id: 'workspace.get',
  method: 'GET',
  path: '/v1/workspace',
  permission: ['FLOWS:READ', 'AGENTS:READ', 'TOOLS:READ', 'MODELS:READ', 'PRODUCTS:READ', 'BUDGETS:READ'],
  summary: 'Export the workspace as a document',
  description: `Returns the drafts of all flows, agents, tools, model configs, products (with their capabilities, surfaces, items and schedules) and budgets, sorted by name. With \`Accept: application/yaml\` as YAML.

They refer to each other by names. Where other texts are possible too, a name follows \`tool:\` or \`modelConfig:\`. Of a name that occurs twice, the second is \`name (2)\`, by age. What was deleted and is still referred to is \`(deleted)\`. What the caller may not read keeps its id: only who may read it learns its name, and whether it exists. A surface is \`<product>/<surface>\`, a record \`<type>/<name>\`.

It has no values of secrets, keys, credentials or runs. What is the default is left out, and so are kinds that the caller may not read; if that is all of them, 403. 413 for more than 5 MB, or more than ${resourcesMax} resources of a kind.`,
  headers: z.object({ accept: z.string().optional() }),
  open: 'reader',
  response: {
    kind: 'stream',
    mediaType: 'application/yaml',
    body: z.string(),
    bodies: { 200: WorkspaceDocument },
  },
  errors: [413],
  needs: { read: workspaceReader, sandbox },

  async handle({ principal, header, signal }, { read, sandbox }) {
    const readable = kindsInOrder.filter((name) =>
      covers(principal.permissions, `${documentKinds[name].group}:READ`),
    );
    const { resources, book } = await read({
      permissions: principal.permissions,
      kinds: readable,
      bytesMax: storedBytesMax,
    });
    const document = Object.fromEntries(
      readable.map((name) => {
        const entries = toStoredEntries(documentKinds[name], resources.get(name) ?? [], book.toName);
        const inOrder = entries.toSorted((one, other) => (one.key < other.key ? -1 : 1));
        return [name, inOrder.map((entry) => renderEntry(documentKinds[name], entry))];
      }),
    ) as z.input<typeof WorkspaceDocument>;
    if (countResponseBytes(document) > responseBytesMax)
      throw tooLarge({
        code: 'TOO_LARGE',
        message: 'The workspace is larger than 5 MB, which no document holds',
      });
    if (!/\byaml\b/i.test(header('accept') ?? '')) return { status: 200 as const, body: document };
    const yaml = await limitQueueTime(sandbox, signal)(writeYamlTask, document, { timeoutMs: yamlMsMax });
    return { contentType: 'application/yaml; charset=utf-8', stream: Readable.from([yaml]) };
  },
});

/** A document leaves out what is the default. */
const storedBytesMax = 2 * responseBytesMax;
const yamlMsMax = 20_000;

export const handler = toStreamingLambda(getWorkspace);

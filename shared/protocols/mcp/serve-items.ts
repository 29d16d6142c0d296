/**
 * Serves the items of a surface over MCP: flows and agents as tools or prompts, records as resources.
 * Made for each request from the offer (`tools.ts`), which has what the caller may use; the lists show fewer items if the
 * surface says so. A tool call starts the run of its item and waits for its outcome; errors of the caller and of the run are
 * results, a prompt that fails is an error. Files of the tenant are shown as images or sound if they are small.
 * `functions/surface-mcp` gives it to `adapters/mcp-server/respond.ts`; `tools.ts` also names the tools and reads outcomes.
 */
import type {
  CallToolResult,
  CompleteRequestParams,
  ContentBlock,
  GetPromptResult,
  ListResourcesResult,
  Prompt,
  Resource,
} from '@modelcontextprotocol/server';
import { assetStore } from '../../adapters/assets/asset-store.ts';
import {
  contentText,
  findToolResult,
  isMembers,
  textBlock,
  toFailedResult,
  toPromptMessages,
} from '../../adapters/mcp-server/content.ts';
import { failureMessage } from '../../adapters/mcp-server/failures.ts';
import { pageAcross, pageMax } from '../../adapters/mcp-server/pages.ts';
import type { Completion, ReportProgress, ServedMcp } from '../../adapters/mcp-server/served.ts';
import type { AssetsPort } from '../../adapters/ports/assets-port.ts';
import { getCallDepth } from '../../core/agent-depth.ts';
import { ifMissing, invalidAt, notFound, ServiceError } from '../../core/errors/errors.ts';
import { parseExact } from '../../core/json/exact-json.ts';
import { log } from '../../core/log.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { urlPart } from '../../core/text.ts';
import { AssetOutput } from '../../domain/flows/step-types/store-asset.ts';
import { type RecordItem, RecordName, recordsRange } from '../../domain/records/record.ts';
import { recordStore, type TypeAndName } from '../../domain/records/record-store.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import type { Surface } from '../../domain/surfaces/surface/surface.ts';
import { isPrompt } from '../../domain/surfaces/surface-items.ts';
import { collectRows } from '../../platform/data/lists/listing.ts';
import { cursorPage } from '../../platform/data/lists/pages.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { OutwardRun } from '../surface/outward.ts';
import { rememberFlow, type SurfaceCall, startExposedRun } from '../surface/start-exposed.ts';
import { describeItem, endpointSlugs, itemTools, type McpOffer, nameTool, readOutcome } from './tools.ts';

interface Asked {
  surface: Surface;
  exposed: readonly ExposedItem[];
  offer: McpOffer;
  /** The items of the offer that lists show. */
  listed: readonly ExposedItem[];
  call: Omit<SurfaceCall, 'parameters' | 'depth'>;
  /** The header that says how many runs are above the call. */
  depth: string | undefined;
}

export function serveItems(scope: Scope, { surface, exposed, offer, listed, call, depth }: Asked): ServedMcp {
  const { recordTypes } = offer;
  const createTools = (items: readonly ExposedItem[]) =>
    itemTools(
      items.filter(({ item }) => !isPrompt(item)),
      exposed,
    );
  const createPrompts = (items: readonly ExposedItem[]) =>
    itemPrompts(
      items.filter(({ item }) => isPrompt(item)),
      exposed,
    );
  const tools = createTools(offer.items);
  const prompts = createPrompts(offer.items);
  const { read } = assetStore({ tenant: scope.table.tenant, runId: '' });
  async function run(item: ExposedItem, name: string, parameters: Record<string, unknown>) {
    rememberFlow(item, name);
    return startExposedRun(scope, item, { ...call, parameters, depth: getCallDepth(depth) });
  }

  async function complete({ ref, argument, context }: CompleteRequestParams) {
    if (ref.type === 'ref/prompt') {
      const named = prompts.find(({ prompt }) => prompt.name === ref.name);
      return named && completeArgument(named.exposed, argument);
    }
    if (ref.uri !== recordTemplate || recordTypes.length === 0) return undefined;
    return completeRecord(scope, recordTypes, argument, context?.arguments ?? {});
  }

  return {
    name: surface.name,
    tools: {
      all: createTools(listed).map(({ tool }) => tool),
      call: (name, args, signal, progress) => {
        const { exposed: item } = findOffered(tools, ({ tool }) => tool.name === name);
        return callResult(
          { start: () => run(item, name, args), read, requestId: call.requestId },
          signal,
          progress,
        );
      },
    },
    ...(prompts.length > 0 && {
      prompts: {
        all: createPrompts(listed).map(({ prompt }) => prompt),
        get: async (name, args, signal) => {
          const { exposed: item } = findOffered(prompts, ({ prompt }) => prompt.name === name);
          return promptResult(await run(item, name, promptParameters(item, args)), signal);
        },
      },
    }),
    ...(recordTypes.length > 0 && { resources: recordResources(scope, recordTypes) }),
    ...((prompts.length > 0 || recordTypes.length > 0) && { complete }),
  };
}

/** The server has checked that it offers the name. */
function findOffered<T>(all: readonly T[], isIt: (each: T) => boolean): T {
  const one = all.find(isIt);
  if (!one) throw notFound('Item');
  return one;
}

interface Call {
  start: () => Promise<OutwardRun>;
  read: FileReader;
  requestId: string;
}

/** Runs a tool. Errors of the caller and of the run are results, so that a model reads them and corrects itself. */
async function callResult(
  { start, read, requestId }: Call,
  signal: AbortSignal,
  progress: ReportProgress,
): Promise<CallToolResult> {
  try {
    const outcome = await readOutcome(await start(), signal, progress);
    if ('failure' in outcome) return toFailedResult(outcome.failure);
    return 'waiting' in outcome ? text(outcome.waiting) : await toResult(outcome.output, read);
  } catch (error) {
    if (error instanceof ServiceError) return toFailedResult(failureMessage(error));
    if (!signal.aborted) log.error('A tool call failed', { error });
    return toFailedResult(`Internal error. Request ${requestId}`);
  }
}

const text = (words: string): CallToolResult => ({ content: [textBlock(words)] });

/** Objects are structured too. Of other values, the protocol before 2026-07-28 has only the text. */
const toResult = async (output: unknown, read: FileReader): Promise<CallToolResult> =>
  findToolResult(output) ??
  (await fileResult(output, read)) ?? {
    ...text(contentText(output)),
    ...(isMembers(output) && { structuredContent: output }),
  };

/** Reads a file that the tenant stored. Undefined for all other URLs. */
type FileReader = AssetsPort['read'];

/** Larger files are links only. */
const shownBytesMax = 1_000_000;

/** What clients show to people and models. */
const shownTypes = /^(image)\/(?:png|jpeg|gif|webp)\b|^(audio)\//i;

/** A stored file as a link, with its content if that can be shown. Undefined if the output is none. */
async function fileResult(output: unknown, read: FileReader): Promise<CallToolResult | undefined> {
  const { data: file } = AssetOutput.strict().safeParse(output);
  if (!file) return undefined;
  const { url: uri, filename: name, contentType: mimeType, size } = file;
  const link: ContentBlock = { type: 'resource_link', uri, name, mimeType, size };
  const shown = await readShownContent(file, read);
  return { content: [...(shown ? [shown] : []), link], structuredContent: file };
}

type File = Pick<ReturnType<typeof AssetOutput.parse>, 'url' | 'contentType' | 'size'>;

async function readShownContent({ url, contentType, size }: File, read: FileReader) {
  const [, image, audio] = shownTypes.exec(contentType) ?? [];
  if (!(image ?? audio) || size > shownBytesMax) return undefined;
  try {
    const { bytes } = (await read(url)) ?? {};
    if (!bytes || bytes.length > shownBytesMax) return undefined;
    const data = Buffer.from(bytes).toString('base64');
    return { type: image ? ('image' as const) : ('audio' as const), data, mimeType: contentType };
  } catch (error) {
    log.warn('The file of a tool call cannot be shown', { error });
    return undefined;
  }
}

type Members = Record<string, unknown>;

interface ItemPrompt {
  exposed: ExposedItem;
  prompt: Prompt;
}

/** @param all The items of the surface, also those that the caller may not run. */
function itemPrompts(items: readonly ExposedItem[], all: readonly ExposedItem[]): ItemPrompt[] {
  const slugs = endpointSlugs(all);
  return items.map((exposed) => ({ exposed, prompt: toPrompt(exposed, nameTool(exposed, slugs)) }));
}

function toPrompt(exposed: ExposedItem, name: string): Prompt {
  const { required } = exposed.capability.parametersSchema ?? {};
  const args = Object.entries(getProperties(exposed)).map(([argument, { description }]) => ({
    name: argument,
    ...(typeof description === 'string' && { description }),
    required: Array.isArray(required) && required.includes(argument),
  }));
  return { ...describeItem(exposed, name), arguments: args };
}

function getProperties({ capability }: ExposedItem): Record<string, Members> {
  const { properties } = capability.parametersSchema ?? {};
  if (!isMembers(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, isMembers(schema) ? schema : {}]),
  );
}

/** Arguments of prompts are texts. Where the schema wants another type, the text is its JSON. */
function promptParameters(exposed: ExposedItem, args: Record<string, string>): Members {
  const properties = getProperties(exposed);
  return Object.fromEntries(
    Object.entries(args).map(([name, text]) => {
      const types = [properties[name]?.type ?? 'string'].flat();
      return [name, types.includes('string') ? text : parseJsonOrText(text)];
    }),
  );
}

/** The value, or the text itself if it is none, which the check of the parameters refuses. */
function parseJsonOrText(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** The messages that a run gives. Prompts have no progress. */
async function promptResult(
  run: OutwardRun,
  signal: AbortSignal,
): Promise<GetPromptResult | { failure: string }> {
  const outcome = await readOutcome(run, signal, async () => {});
  if ('output' in outcome) return { messages: toPromptMessages(outcome.output) };
  return { failure: 'failure' in outcome ? outcome.failure : outcome.waiting };
}

/** The values that the schema of an argument lists. */
function completeArgument(
  exposed: ExposedItem,
  { name, value }: { name: string; value: string },
): Completion | undefined {
  const schema = getProperties(exposed)[name];
  if (!schema) return undefined;
  const { type, enum: listed = type === 'boolean' ? ['true', 'false'] : [] } = schema;
  const values = (Array.isArray(listed) ? listed : []).map((each) =>
    typeof each === 'string' ? each : JSON.stringify(each),
  );
  const wanted = value.toLowerCase();
  return { values: values.filter((each) => each.toLowerCase().startsWith(wanted)) };
}

type Resources = NonNullable<ServedMcp['resources']>;

const mimeType = 'application/json';

/** The records of some types as resources: type by type, newest first. */
export function recordResources(scope: Scope, types: readonly string[]): Resources {
  const records = recordStore(scope);

  async function list(cursor: string | undefined): Promise<ListResourcesResult> {
    // One Query for each type that ends in the page.
    const { rows, ...rest } = await pageAcross(types, cursor, async (type, query) => {
      const page = await cursorPage(scope.table, toSource(type), query);
      const resources = page.rows.map(({ name }) => toResource(type, String(name)));
      return { rows: resources, nextCursor: page.pagination.nextCursor };
    });
    return { resources: rows, ...rest };
  }

  async function read(uri: string) {
    const pair = parseRecordUri(uri);
    if (!pair || !types.includes(pair.type)) return undefined;
    const id = await records.findId(pair);
    const record = id === undefined ? undefined : await records.get(id).catch(ifMissing(undefined));
    // It may have been renamed between the two reads.
    if (record?.type !== pair.type || record.name !== pair.name) return undefined;
    return { contents: [{ uri, mimeType, text: JSON.stringify(toContent(record)) }] };
  }

  return { templates: [toTemplate(types)], list, read };
}

/** Completes `recordTemplate`. Names are those of the newest 1,000 records of the type that contain the value. @throws 400 */
export async function completeRecord(
  { table }: Scope,
  types: readonly string[],
  argument: { name: string; value: string },
  otherArguments: Record<string, string>,
): Promise<Completion | undefined> {
  if (!wellFormed(argument.value)) throw invalidAt('argument.value', 'INVALID_VALUE', wellFormedOnly);
  const value = argument.value.toLowerCase();
  if (argument.name === 'type') {
    return { values: types.filter((type) => type.toLowerCase().startsWith(value)) };
  }
  if (argument.name !== 'name') return undefined;
  const type = otherArguments.type ?? (types.length === 1 ? types[0] : undefined);
  if (type === undefined || !types.includes(type)) return { values: [] };
  const filter = { expression: 'contains(#summary.#search, :search)', values: { search: value } };
  const source = { ...toSource(type), ...(value !== '' && { filter }) };
  const { found, stoppedAt } = await collectRows(table, source, { wanted: pageMax, queries: 1 });
  return { values: found.map(({ name }) => String(name)), hasMore: stoppedAt !== undefined };
}

const toSource = (type: string) => ({ ...recordsRange(type), kind: 'record' as const });

const toResource = (type: string, name: string): Resource => ({
  uri: recordUri({ type, name }),
  name,
  description: `A record of the type ${type}`,
  mimeType,
});

const toTemplate = (types: readonly string[]) => ({
  uriTemplate: recordTemplate,
  name: 'record',
  title: 'A record by its type and name',
  mimeType,
  description: `The metadata and messages of a record, as JSON. Types: ${types.join(', ')}`,
});

/** Without the ids of the tenant. */
const toContent = ({ type, name, metadata, messages, createdAt, updatedAt }: RecordItem) => ({
  type,
  name,
  metadata,
  messages,
  createdAt,
  updatedAt,
});

/** An opaque path: URL parsers leave names like ".." as they are. */
const recordTemplate = 'record:{type}/{name}';

const recordUri = ({ type, name }: TypeAndName) => `record:${urlPart(type)}/${urlPart(name)}`;

/** The type and name in a URI. Undefined for all others. */
function parseRecordUri(uri: string): TypeAndName | undefined {
  const [, type, name] = /^record:([^/]+)\/([^/]+)$/.exec(uri) ?? [];
  if (type === undefined || name === undefined || !uri.isWellFormed()) return undefined;
  try {
    const pair = { type: decodeURIComponent(type), name: decodeURIComponent(name) };
    return RecordName.safeParse(pair.name).success ? pair : undefined;
  } catch {
    return undefined;
  }
}

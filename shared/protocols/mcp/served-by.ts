import type { CallToolResult, CompleteRequestParams, ContentBlock } from '@modelcontextprotocol/server';
import { assetStore } from '../../adapters/assets/asset-store.ts';
import {
  contentText,
  failedResult,
  isMembers,
  textBlock,
  toolResultIn,
} from '../../adapters/mcp-server/content.ts';
import { failureMessage } from '../../adapters/mcp-server/failures.ts';
import type { ReportProgress, ServedMcp } from '../../adapters/mcp-server/served.ts';
import type { AssetsPort } from '../../adapters/ports/assets-port.ts';
import { depthOfCall } from '../../core/agent-depth.ts';
import { notFound, ServiceError } from '../../core/errors/errors.ts';
import { log } from '../../core/log.ts';
import { AssetOutput } from '../../domain/flows/step-types/store-asset.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { isPrompt } from '../../domain/surfaces/item-config.ts';
import type { Surface } from '../../domain/surfaces/surface/surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { rememberFlow } from '../surface/last-flows.ts';
import type { OutwardRun } from '../surface/outward.ts';
import { exposedRun, type SurfaceCall } from '../surface/start-exposed.ts';
import type { McpOffer } from './offer.ts';
import { readOutcome } from './outcome.ts';
import { completedArgument, itemPrompts, promptParameters, promptResult } from './prompts.ts';
import { completedRecord, recordResources } from './record-resources.ts';
import { recordTemplate } from './record-uri.ts';
import { itemTools } from './tools.ts';

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

export function servedBy(scope: Scope, { surface, exposed, offer, listed, call, depth }: Asked): ServedMcp {
  const { recordTypes } = offer;
  const toolsIn = (items: readonly ExposedItem[]) =>
    itemTools(
      items.filter(({ item }) => !isPrompt(item)),
      exposed,
    );
  const promptsIn = (items: readonly ExposedItem[]) =>
    itemPrompts(
      items.filter(({ item }) => isPrompt(item)),
      exposed,
    );
  const tools = toolsIn(offer.items);
  const prompts = promptsIn(offer.items);
  const { read } = assetStore({ tenant: scope.table.tenant, runId: '' });
  async function run(item: ExposedItem, name: string, parameters: Record<string, unknown>) {
    rememberFlow(item, name);
    return exposedRun(scope, item, { ...call, parameters, depth: depthOfCall(depth) });
  }

  async function complete({ ref, argument, context }: CompleteRequestParams) {
    if (ref.type === 'ref/prompt') {
      const named = prompts.find(({ prompt }) => prompt.name === ref.name);
      return named && completedArgument(named.exposed, argument);
    }
    if (ref.uri !== recordTemplate || recordTypes.length === 0) return undefined;
    return completedRecord(scope, recordTypes, argument, context?.arguments ?? {});
  }

  return {
    name: surface.name,
    tools: {
      all: toolsIn(listed).map(({ tool }) => tool),
      call: (name, args, signal, progress) => {
        const { exposed: item } = found(tools, ({ tool }) => tool.name === name);
        return callResult(
          { start: () => run(item, name, args), read, requestId: call.requestId },
          signal,
          progress,
        );
      },
    },
    ...(prompts.length > 0 && {
      prompts: {
        all: promptsIn(listed).map(({ prompt }) => prompt),
        get: async (name, args, signal) => {
          const { exposed: item } = found(prompts, ({ prompt }) => prompt.name === name);
          return promptResult(await run(item, name, promptParameters(item, args)), signal);
        },
      },
    }),
    ...(recordTypes.length > 0 && { resources: recordResources(scope, recordTypes) }),
    ...((prompts.length > 0 || recordTypes.length > 0) && { complete }),
  };
}

/** The server has checked that it offers the name. */
function found<T>(all: readonly T[], isIt: (each: T) => boolean): T {
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
    if ('failure' in outcome) return failedResult(outcome.failure);
    return 'waiting' in outcome ? text(outcome.waiting) : await resultOf(outcome.output, read);
  } catch (error) {
    if (error instanceof ServiceError) return failedResult(failureMessage(error));
    if (!signal.aborted) log.error('A tool call failed', { error });
    return failedResult(`Internal error. Request ${requestId}`);
  }
}

const text = (words: string): CallToolResult => ({ content: [textBlock(words)] });

/** Objects are structured too. Of other values, the protocol before 2026-07-28 has only the text. */
const resultOf = async (output: unknown, read: FileReader): Promise<CallToolResult> =>
  toolResultIn(output) ??
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
  const shown = await shownContent(file, read);
  return { content: [...(shown ? [shown] : []), link], structuredContent: file };
}

type File = Pick<ReturnType<typeof AssetOutput.parse>, 'url' | 'contentType' | 'size'>;

async function shownContent({ url, contentType, size }: File, read: FileReader) {
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

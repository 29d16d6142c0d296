import type { CompleteRequestParams } from '@modelcontextprotocol/server';
import { assetStore } from '../../adapters/assets/asset-store.ts';
import type { ServedMcp } from '../../adapters/mcp-server/served.ts';
import { depthOfCall } from '../../core/agent-depth.ts';
import { notFound } from '../../core/errors/errors.ts';
import type { ExposedItem } from '../../domain/surfaces/exposed-item.ts';
import { isPrompt } from '../../domain/surfaces/item-config.ts';
import type { Surface } from '../../domain/surfaces/surface/surface.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { rememberFlow } from '../surface/last-flows.ts';
import { exposedRun, type SurfaceCall } from '../surface/start-exposed.ts';
import { callResult } from './call-tool.ts';
import type { McpOffer } from './offer.ts';
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

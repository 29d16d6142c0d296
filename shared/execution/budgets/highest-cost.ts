import type Big from 'big.js';
import { tokensOfMessage } from '../../adapters/models/usage.ts';
import type { ModelLimits, ModelMessage, ModelRequest } from '../../adapters/ports/model-port.ts';
import {
  affordableTokens,
  longestResponse,
  type NextCall,
  responseTokensMin,
  worstCaseCost,
} from '../model-calls/call-cost.ts';
import type { Cost } from '../model-calls/purse.ts';

/** Roles and separators. */
const tokensPerPart = 8;
/** The instructions that providers add for the calling of tools. */
const tokensForTools = 512;

/** Of a model of which no longest response is known. */
const responseTokensDefault = 16_384;

export interface PricedCall {
  cost: Cost;
  /** How long its response may be for an amount in USD; undefined if the request states that itself. */
  responseFor: (amount: Big) => number | undefined;
}

/**
 * What a call may cost at most; undefined if its price is not known. Of a request that states no limit for its response, a
 * shorter one does.
 */
export function costOfRequest(request: ModelRequest, known: ModelLimits): PricedCall | undefined {
  const { outputTokens = known.contextTokens ?? responseTokensDefault } = known;
  // The bound for the input is too high to say how much of the context is left.
  const limits = { ...known, outputTokens, contextTokens: undefined };
  const maxTokens = request.settings?.maxTokens;
  const call: NextCall = { inputTokens: tokensMax(request), maxTokens };
  const wanted = worstCaseCost(call, limits);
  if (wanted === undefined) return undefined;
  if (maxTokens !== undefined) return { cost: { wanted, least: wanted }, responseFor: () => undefined };
  const longest = longestResponse(call, limits) ?? outputTokens;
  const shortest = { ...call, maxTokens: Math.min(longest, responseTokensMin) };
  return {
    cost: { wanted, least: worstCaseCost(shortest, limits) ?? wanted },
    responseFor: (amount) => Math.min(affordableTokens(amount, call, limits) ?? longest, longest),
  };
}

export function costOfTexts(texts: readonly string[], limits: ModelLimits): Big | undefined {
  const inputTokens = texts.reduce((sum, text) => sum + bytesOf(text) + tokensPerPart, 0);
  return worstCaseCost({ inputTokens, maxTokens: 0 }, limits);
}

/** An upper bound: no token is shorter than a byte of UTF-8. */
function tokensMax({ messages, tools = [], format }: ModelRequest): number {
  const ofTools = tools.reduce(
    (sum, tool) => sum + bytesOf(JSON.stringify(tool)) + tokensPerPart,
    tools.length > 0 ? tokensForTools : 0,
  );
  const ofFormat = format?.type === 'json' && format.schema ? bytesOf(JSON.stringify(format.schema)) : 0;
  return messages.reduce((sum, each) => sum + tokensOf(each), tokensPerPart + ofTools + ofFormat);
}

/** Files have an estimate, which providers charge at most. */
function tokensOf({ role, content }: ModelMessage): number {
  if (typeof content === 'string') return bytesOf(content) + tokensPerPart;
  return content.reduce((sum: number, part) => {
    if (part.type === 'file') return sum + tokensOfMessage({ role: 'user', content: [part] });
    return sum + bytesOf(JSON.stringify({ role, part })) + tokensPerPart;
  }, 0);
}

const bytesOf = (text: string) => Buffer.byteLength(text);

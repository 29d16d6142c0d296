/**
 * The arithmetic of what a model call may cost: at most, and what a budget pays for.
 * Bounds are for decisions before a call (reservations, shortened responses), so they are never too low for a known
 * price. What calls reported is a `Spending` (`adapters/ports/spending.ts`).
 * `settleAtEnd` wraps a stream so that its cost is settled however it ends, aborted ones with what the provider has
 * begun to charge.
 */
import Big from 'big.js';
import { tokensOfMessage } from '../../adapters/models/usage.ts';
import type {
  ModelEvent,
  ModelLimits,
  ModelMessage,
  ModelRequest,
  PriceTier,
} from '../../adapters/ports/model-port.ts';
import type { Cost } from './budget-reservations.ts';

/**
 * Settles a call of a model when it ends, however it ends. A provider charges what it began, also if it does not say how much
 * that is.
 * @param settle Gets USD; undefined if the cost is not known.
 */
export async function* settleAtEnd(
  events: AsyncIterable<ModelEvent>,
  settle: (cost: string | undefined) => void,
): AsyncGenerator<ModelEvent, void> {
  let cost: string | undefined = '0';
  try {
    for await (const event of events) {
      if (event.type === 'start') cost = event.charged?.cost ?? undefined;
      if (event.type === 'finish') cost = event.cost ?? undefined;
      yield event;
    }
  } finally {
    settle(cost);
  }
}

export interface NextCall {
  /** Estimated. */
  inputTokens: number;
  /** The limit that the request states for the response. */
  maxTokens?: number | undefined;
}

/** A response of fewer tokens says nothing. */
export const responseTokensMin = 256;

const perToken = new Big('0.000001');

/** The longest response that a call may have; undefined if nothing limits it. */
export function getLongestResponse(
  { inputTokens, maxTokens }: NextCall,
  limits: ModelLimits,
): number | undefined {
  const { contextTokens, outputTokens } = limits;
  const left = contextTokens === undefined ? undefined : Math.max(0, contextTokens - inputTokens);
  const bounds = [maxTokens ?? limits.maxTokens, outputTokens, left].filter((each) => each !== undefined);
  return bounds.length > 0 ? Math.min(...bounds) : undefined;
}

/**
 * The highest cost of a call in USD, with the longest response and no use of a cache; undefined if its price or the
 * length of its response has no known limit.
 */
export function getWorstCaseCost(call: NextCall, limits: ModelLimits): Big | undefined {
  const output = getLongestResponse(call, limits);
  const tier = findTier(call, limits);
  if (output === undefined || !tier) return undefined;
  return priceInput(call, tier).plus(new Big(tier.output).times(output).times(perToken));
}

/**
 * The longest response that a budget in USD pays for, after the input; 0 if it does not even pay for that. Undefined if
 * the price is unknown, or if the response costs nothing.
 */
export function getAffordableTokens(budget: Big, call: NextCall, limits: ModelLimits): number | undefined {
  const tier = findTier(call, limits);
  if (!tier || new Big(tier.output).eq(0)) return undefined;
  const left = budget.minus(priceInput(call, tier));
  if (left.lte(0)) return 0;
  return left.div(new Big(tier.output).times(perToken)).round(0, Big.roundDown).toNumber();
}

const priceInput = ({ inputTokens }: NextCall, { input }: PriceTier) =>
  new Big(input).times(inputTokens).times(perToken);

const findTier = ({ inputTokens }: NextCall, { prices = [] }: ModelLimits): PriceTier | undefined =>
  prices
    .filter(({ above }) => above === 0 || inputTokens > above)
    .toSorted((one, other) => other.above - one.above)[0];

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
export function priceRequest(request: ModelRequest, modelLimits: ModelLimits): PricedCall | undefined {
  const { outputTokens = modelLimits.contextTokens ?? responseTokensDefault } = modelLimits;
  // The bound for the input is too high to say how much of the context is left.
  const limits = { ...modelLimits, outputTokens, contextTokens: undefined };
  const maxTokens = request.settings?.maxTokens;
  const call: NextCall = { inputTokens: boundRequestTokens(request), maxTokens };
  const wanted = getWorstCaseCost(call, limits);
  if (wanted === undefined) return undefined;
  if (maxTokens !== undefined) return { cost: { wanted, least: wanted }, responseFor: () => undefined };
  const longest = getLongestResponse(call, limits) ?? outputTokens;
  const shortest = { ...call, maxTokens: Math.min(longest, responseTokensMin) };
  return {
    cost: { wanted, least: getWorstCaseCost(shortest, limits) ?? wanted },
    responseFor: (amount) => Math.min(getAffordableTokens(amount, call, limits) ?? longest, longest),
  };
}

export function priceTexts(texts: readonly string[], limits: ModelLimits): Big | undefined {
  const inputTokens = texts.reduce((sum, text) => sum + countBytes(text) + tokensPerPart, 0);
  return getWorstCaseCost({ inputTokens, maxTokens: 0 }, limits);
}

/** An upper bound: no token is shorter than a byte of UTF-8 (D70). */
function boundRequestTokens({ messages, tools = [], format }: ModelRequest): number {
  const ofTools = tools.reduce(
    (sum, tool) => sum + countBytes(JSON.stringify(tool)) + tokensPerPart,
    tools.length > 0 ? tokensForTools : 0,
  );
  const ofFormat = format?.type === 'json' && format.schema ? countBytes(JSON.stringify(format.schema)) : 0;
  return messages.reduce((sum, each) => sum + boundTokens(each), tokensPerPart + ofTools + ofFormat);
}

/** Files have an estimate, which providers charge at most. */
function boundTokens({ role, content }: ModelMessage): number {
  if (typeof content === 'string') return countBytes(content) + tokensPerPart;
  return content.reduce((sum: number, part) => {
    if (part.type === 'file') return sum + tokensOfMessage({ role: 'user', content: [part] });
    return sum + countBytes(JSON.stringify({ role, part })) + tokensPerPart;
  }, 0);
}

const countBytes = (text: string) => Buffer.byteLength(text);

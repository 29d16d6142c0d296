/**
 * What people and models see of work with secrets: `[secret:KEY]` in place of a value. What flows on keeps the value: the
 * variables of later steps, requests, records. So an output that has a value is two, one to show and one that flows on.
 *
 * A run opens its masks once, around its ports: they learn each value when it is opened, before anything can show it. Runners of
 * steps and of tools ask them for what may be shown; a crash loses them, and the next attempt learns the values anew.
 */
import type { A2aPort } from '../../adapters/ports/a2a-port.ts';
import type { McpPort } from '../../adapters/ports/mcp-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { memoise } from '../../core/cache.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { Hidden, toFlowingValue, type Unmasked } from '../../core/redaction/hidden.ts';
import { createRedactor, type Redactor, redactValue } from '../../core/redaction/redactor.ts';
import { isOrdinary } from '../../core/redaction/secret-forms.ts';
import type { SecretUse } from '../../domain/flows/steps/step.ts';

/** The secrets that the author of a text named, and for what. Without any, ordinary values in it are words like any other. */
export interface NamedSecrets {
  keys: readonly string[];
  use: SecretUse;
}

export interface Masks {
  /** Through which secrets are opened. Failures of other systems come without values. */
  ports: Ports;
  /** Whether a secret was opened. */
  hasAny: () => boolean;
  /** Of the secrets that were opened. */
  keys: () => string[];
  redactor: (named: NamedSecrets) => Redactor;
  /** The output as it is shown, with the one that flows on if that differs. */
  outcome: <Outcome extends Unmasked & { output: unknown }>(outcome: Outcome, named: NamedSecrets) => Outcome;
  /** The error without values in its message. */
  error: (error: unknown, named: NamedSecrets) => unknown;
}

/** Learns the values of all secrets that are opened through its ports, also by tools and by flows inside. */
export function openMasks(ports: Ports): Masks {
  const openedSecrets: { key: string; value: string; isOrdinary: boolean }[] = [];
  const redactors = new Map<string, Redactor>();

  function learn(key: string, value: string): void {
    if (openedSecrets.some((each) => each.key === key && each.value === value)) return;
    openedSecrets.push({ key, value, isOrdinary: isOrdinary(value) });
    redactors.clear();
  }

  function redactor({ keys, use }: NamedSecrets): Redactor {
    const ordinary = openedSecrets
      .filter((each) => each.isOrdinary && keys.includes(each.key))
      .map(({ key }) => key);
    const name = [use, ...ordinary].join();
    const found = redactors.get(name);
    if (found) return found;
    const masked = openedSecrets.filter((each) => !each.isOrdinary || ordinary.includes(each.key));
    const made = createKeyRedactor(masked, use);
    redactors.set(name, made);
    return made;
  }

  const getFullRedactor = (use: SecretUse) => redactor({ keys: openedSecrets.map(({ key }) => key), use });
  const hasAny = () => openedSecrets.length > 0;
  const keys = () => [...new Set(openedSecrets.map(({ key }) => key))];
  return {
    ports: maskPorts(ports, { learn, hasAny, ofAll: getFullRedactor }),
    hasAny,
    keys,
    redactor,
    outcome(outcome, named) {
      if (!hasAny()) return outcome;
      const output = redactor(named).json(outcome.output);
      const value = toFlowingValue(outcome);
      return { ...outcome, output, ...(output !== value && { unmasked: new Hidden(value, keys()) }) };
    },
    error: (error, named) => (hasAny() ? maskError(error, redactor(named)) : error),
  };
}

/** The values of these keys. @throws StepError if one has none. */
export const pickOpenedValues = (
  opened: Awaited<ReturnType<Ports['secrets']>>,
  keys: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    keys.map((key) => {
      const secret = opened.get(key);
      if (secret) return [key, secret.value];
      throw new StepError(`The secret ${key} has no value: set it through /v1/secrets`);
    }),
  );

interface Learning {
  learn: (key: string, value: string) => void;
  hasAny: () => boolean;
  /** Of all values. */
  ofAll: (use: SecretUse) => Redactor;
}

type PortMasks<P> = { readonly [Name in keyof P]: (port: P[Name], learning: Learning) => P[Name] };
const passThrough = <P>(port: P) => port;

/** Exhaustive: a new port does not compile until someone decides here what is shown of its failures. */
const portMasks = {
  secrets:
    (secrets, { learn }) =>
    async (keys) => {
      const found = await secrets(keys);
      for (const [key, { value }] of found) learn(key, value);
      return found;
    },
  shown:
    (shown, { hasAny, ofAll }) =>
    (text) =>
      shown(hasAny() ? ofAll('credentials').text(text) : text),
  warn:
    (warn, { hasAny, ofAll }) =>
    ({ code, message }) =>
      warn({ code, message: hasAny() ? ofAll('credentials').text(message) : message }),
  fetch: maskFetch,
  mcp: maskMcp,
  // Whoever operates the deployment sees its events.
  messages: (messages, { hasAny, ofAll }) => ({
    email: (message) => messages.email(message),
    sms: (message) => messages.sms(message),
    event: (event) => messages.event(hasAny() ? ofAll('credentials').json(event) : event),
  }),
  // What they answer flows on, and their failures are masked whole, as those of every step.
  now: passThrough,
  model: passThrough,
  embed: passThrough,
  a2a: passThrough,
  searchAccount: passThrough,
  sandbox: passThrough,
  records: passThrough,
  vectors: passThrough,
  memory: passThrough,
  assets: passThrough,
  tools: passThrough,
  flows: passThrough,
  agents: passThrough,
  waits: passThrough,
} satisfies PortMasks<Ports>;

const masking = Object.entries(portMasks).filter(([, mask]) => mask !== passThrough) as unknown as [
  keyof Ports,
  (port: unknown, learning: Learning) => never,
][];

function maskPorts(ports: Ports, learning: Learning): Ports {
  const masked = { ...ports };
  for (const [name, mask] of masking) masked[name] = mask(ports[name], learning);
  return masked;
}

/** Errors cut the answers that they quote, and a part of a value would not be recognised. */
function maskFetch(fetch: Ports['fetch'], { hasAny, ofAll }: Learning): Ports['fetch'] {
  return async (request) => {
    if (!hasAny()) return fetch(request);
    const hasSecret = request.body !== undefined && ofAll('text').text(request.body) !== request.body;
    const answer = await fetch({ ...request, ...(hasSecret && { sameOriginBody: true }) });
    if (answer.status < 400) return answer;
    const { json } = ofAll('credentials');
    const { text, headers } = json({ text: answer.text, headers: answer.headers });
    return { ...answer, headers, ...(text !== answer.text && { text, bytes: Buffer.from(text) }) };
  };
}

function maskMcp(mcp: McpPort, { hasAny, ofAll }: Learning): McpPort {
  return {
    listTools: (request) => mcp.listTools(request),
    async callTool(call) {
      const outcome = await mcp.callTool(call);
      return hasAny() && !('output' in outcome) ? ofAll('credentials').json(outcome) : outcome;
    },
  };
}

/** For credentials of a config: a server that repeats them does not reveal them, nor secrets of the tenant in them. */
export const redactMcp = (
  { mcp: { listTools, callTool }, shown }: Pick<Ports, 'mcp' | 'shown'>,
  values: ReadonlyMap<string, string>,
): McpPort => {
  const { text } = createRedactor(values);
  const clean = <T>(answer: T): T => redactValue(answer, (each) => text(shown(each))) as T;
  return {
    listTools: async (request) => clean(await listTools(request)),
    callTool: async (call) => clean(await callTool(call)),
  };
};

/** The same for an agent of another server. Text that may be the beginning of a value is held back. */
export const redactA2a = ({ send }: A2aPort, values: ReadonlyMap<string, string>): A2aPort => {
  const { json, stream } = createRedactor(values);
  return {
    async *send(request) {
      const pieces = stream();
      for await (const event of send(request)) {
        const isDelta = event.type === 'text-delta';
        const isLast = event.type === 'end' || event.type === 'failure';
        const text = isDelta ? pieces.push(event.text) : isLast ? pieces.end() : '';
        if (text !== '') yield { type: 'text-delta', text };
        if (!isDelta) yield json(event);
      }
    },
  };
};

function maskError(error: unknown, { text }: Redactor): unknown {
  if (error instanceof StepError) {
    const { retryable, code, kind, undone } = error;
    return new StepError(text(error.message), { retryable, code, kind, undone });
  }
  if (!(error instanceof Error)) return error;
  const clean = new Error(text(error.message));
  clean.name = error.name;
  clean.stack = text(error.stack ?? '');
  return clean;
}

/** Consecutive runs share a redactor: building one takes time. Eight, because steps and tools may name different secrets. */
const latest = memoise(
  (name) => {
    const [ofOthers, values] = JSON.parse(name) as [boolean, [string, string][]];
    return createRedactor(values, { ofOthers });
  },
  { entriesMax: 8 },
);
const createKeyRedactor = (secrets: readonly { key: string; value: string }[], use: SecretUse): Redactor =>
  latest(JSON.stringify([use === 'credentials', secrets.map(({ key, value }) => [key, value])]));

import { SQSClient } from '@aws-sdk/client-sqs';
import { NumberValue } from '@aws-sdk/lib-dynamodb';
import { DocumentClient } from '../../shared/platform/data/requests/document-client.ts';

/** A command as a client of this process sent it. */
export interface SentCommand {
  /** DynamoDB's or SQS's own name for it. */
  name: string;
  input: object;
  /** What DynamoDB charges for it, if the command requested that. */
  capacityUnits: number;
}

interface Command {
  constructor: { name: string };
  input: object;
}
type Send = (command: Command, ...rest: unknown[]) => Promise<{ ConsumedCapacity?: Capacity | Capacity[] }>;
type Capacity = { CapacityUnits?: number };

let sent: SentCommand[] | undefined;
let asksForCapacity = false;

/** Records every command that clients of this process send from now on. */
export function startRecording({ capacity }: { capacity: boolean }): void {
  sent = [];
  asksForCapacity = capacity;
}

/** Stops recording. @returns the recorded commands. */
export function stopRecording(): SentCommand[] {
  const commands = sent ?? [];
  sent = undefined;
  return commands.map((command) => ({ ...command, input: sendable(command.input) }));
}

/** A form that can be sent to another process: the SDK's decimal objects cannot. */
const sendable = (input: object): object =>
  JSON.parse(
    JSON.stringify(input, (_name, value) => (value instanceof NumberValue ? Number(value.value) : value)),
  );

/** The Lambdas create their own clients, so the recorder hooks into the SDK. */
function watch(prototype: object): void {
  const { send } = prototype as { send: Send };
  const recordingSend: Send = async function (this: unknown, command, ...rest) {
    if (!sent) return send.call(this, command, ...rest);
    const entry = {
      name: command.constructor.name.replace(/Command$/, ''),
      input: command.input,
      capacityUnits: 0,
    };
    sent.push(entry);
    if (!asksForCapacity || prototype !== DocumentClient.prototype) return send.call(this, command, ...rest);
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    const answer = await send.call(this, command, ...rest);
    for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat())
      entry.capacityUnits += CapacityUnits;
    return answer;
  };
  Object.assign(prototype, { send: recordingSend });
}

watch(DocumentClient.prototype);
watch(SQSClient.prototype);

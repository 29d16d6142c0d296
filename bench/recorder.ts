import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient, NumberValue } from '@aws-sdk/lib-dynamodb';

/** A command as a client of this process sent it. */
export interface SentCommand {
  /** DynamoDB's or SQS's own name for it. */
  name: string;
  input: object;
  /** What DynamoDB charges for it, where that was asked for. */
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

/** Notes every command that any client of this process sends from now on. */
export function startRecording({ capacity }: { capacity: boolean }): void {
  sent = [];
  asksForCapacity = capacity;
}

/** @returns what was sent since the recording began, which ends with this. */
export function stopRecording(): SentCommand[] {
  const commands = sent ?? [];
  sent = undefined;
  return commands.map((command) => ({ ...command, input: sendable(command.input) }));
}

/** What can cross to another process: exact decimals are objects of the SDK's, which cannot. */
const sendable = (input: object): object =>
  JSON.parse(
    JSON.stringify(input, (_name, value) => (value instanceof NumberValue ? Number(value.value) : value)),
  );

/** The Lambdas make their clients themselves, so what they send can be seen only where all clients send. */
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
    if (!asksForCapacity || prototype !== DynamoDBDocumentClient.prototype)
      return send.call(this, command, ...rest);
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    const answer = await send.call(this, command, ...rest);
    for (const { CapacityUnits = 0 } of [answer.ConsumedCapacity ?? []].flat())
      entry.capacityUnits += CapacityUnits;
    return answer;
  };
  Object.assign(prototype, { send: recordingSend });
}

watch(DynamoDBDocumentClient.prototype);
watch(SQSClient.prototype);

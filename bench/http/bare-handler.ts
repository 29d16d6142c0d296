import {
  GetCommand,
  type GetCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { documentClient } from '../../shared/platform/data/client.ts';

/** The two store calls of a warm GET: the item and the rate-limit counter. */
export interface BareEvent {
  read: GetCommandInput;
  meter: UpdateCommandInput;
}

let client: ReturnType<typeof documentClient> | undefined;

/** The cost of a GET without the request stack: its store calls and JSON. */
export async function handler({ read, meter }: BareEvent) {
  client ??= documentClient();
  const [{ Item }] = await Promise.all([
    client.send(new GetCommand(read)),
    client.send(new UpdateCommand(meter)),
  ]);
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(Item) };
}

import { randomUUID } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { LocalRoute } from '../gateway/gateway.ts';

/** A message that a deployment would send. */
export interface SentMessage {
  id: string;
  kind: 'email' | 'sms' | 'event';
  sentAt: string;
  /** The message as its service received it. */
  message: object;
}

const keptMax = 100;

export type LocalOutbox = ReturnType<typeof openOutbox>;

/** Stores the last messages instead of sending them: in the directory, or in memory. */
export function openOutbox(directory: string | undefined) {
  const file = directory ? join(directory, 'outbox.db') : ':memory:';
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
  database.exec('CREATE TABLE IF NOT EXISTS sent (n INTEGER PRIMARY KEY AUTOINCREMENT, json TEXT NOT NULL)');
  if (directory) chmodSync(file, 0o600);
  const insert = database.prepare('INSERT INTO sent (json) VALUES (?)');
  const forget = database.prepare('DELETE FROM sent WHERE n <= (SELECT max(n) FROM sent) - ?');
  const newestFirst = database.prepare('SELECT json FROM sent ORDER BY n DESC');

  const list: LocalRoute = () => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: `{"messages":[${newestFirst.all().map(({ json }) => json)}]}`,
  });
  return {
    /** @returns the message's id. */
    keep(kind: SentMessage['kind'], message: object): string {
      const sent: SentMessage = { id: randomUUID(), kind, sentAt: new Date().toISOString(), message };
      insert.run(JSON.stringify(sent));
      forget.run(keptMax);
      return sent.id;
    },
    routes: { 'GET /local/outbox': list },
    close: () => database.close(),
  };
}

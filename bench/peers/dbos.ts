import type { Peer } from './peer.ts';
import { startPostgres } from './postgres.ts';

/** DBOS 4 on Postgres 15 with its default settings. */
export const dbos: Peer = {
  name: 'dbos',
  packages: ['@dbos-inc/dbos-sdk@4'],
  modelProgram: 'dbos-model.mjs',
  start: startPostgres,
};

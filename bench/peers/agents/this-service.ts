import { httpModel, ourRun } from '../../agents/agent-ways.ts';
import { runtimeOn, useTable } from '../../http/warm-get.ts';
import { serveRuns } from './serve-runs.mts';

/** The runs of this service, as an endpoint makes them, in a process of their own. */
const { MODEL_URL = '', DYNAMODB_URL = '', TABLE_NAME = '' } = process.env;
useTable(DYNAMODB_URL, TABLE_NAME);
const scope = runtimeOn(TABLE_NAME)().scopeOf('user:bench');
serveRuns(() => ourRun(scope, httpModel(MODEL_URL)));

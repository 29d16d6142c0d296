// Tests of many cases, with all of them. `npm test` tries a part.
import './functions/records/airports.test.ts';
import './functions/response-bounds.property.test.ts';
import './shared/adapters/json-schema/plain-fit.test.ts';
import './shared/domain/records/csv.property.test.ts';
import './shared/domain/schedules/next-time.test.ts';
import './shared/execution/agent-loop/replay.property.test.ts';
import './shared/execution/agent-runs/live-output.property.test.ts';
import './shared/execution/agent-runs/replay-events.property.test.ts';
import './shared/execution/engine/engine.property.test.ts';
import './shared/execution/listed-runs/list-runs.test.ts';
import './shared/platform/data/requests/same-requests.test.ts';

import * as z from 'zod';
import { AgentResult, DispatchResult } from '../../shared/protocols/json/dispatch-result.ts';

/** The response to a run of a flow, or of an agent. */
export const AnyResult = z.union([DispatchResult, AgentResult]).meta({ id: 'AnyRunResult' });

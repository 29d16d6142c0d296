/** Reserved for reporting the timeout of a flow and persisting its results. */
const flowReserveMs = 3_000;
/** Reserved to record the end of an agent's run, and to tell the caller. */
const agentReserveMs = 5_000;

/** The time limit of a flow's run in front of its caller. @param timeLeftMs Of its process. */
export const getFlowTimeMs = (timeLeftMs: number) => Math.max(1, timeLeftMs - flowReserveMs);

/** The time that an agent's run may take: in front of its caller, no longer than its process lives. */
export const getAgentTimeMs = (
  { background, timeoutMs }: { background: boolean; timeoutMs?: number | undefined },
  timeLeftMs: number,
) => (background ? timeoutMs : Math.max(1, Math.min(timeoutMs ?? 600_000, timeLeftMs - agentReserveMs)));

/** What agents and flows remember, by profile: no method reaches the memories of another profile. */
export interface MemoryPort {
  /** Opens the memory of a profile, existing or not. */
  open: (profile: string) => Promise<ProfileMemory>;
}

export interface Memory {
  id: string;
  text: string;
  session?: string | undefined;
  createdAt: string;
}

export interface NumberedMemory extends Memory {
  /** From 1, in the order in which the memories of the profile were saved. */
  number: number;
}

export interface SummaryOfMemories {
  /** Only the memories of this session; absent for all. */
  session?: string | undefined;
  text: string;
  /** The number of the last memory that it considers. */
  through: number;
}

export interface ProfileMemory {
  /** The model of all its vectors; undefined before the first memory. */
  embeddingModel: string | undefined;
  memoryCount: number;
  /** Saves a memory. `isNew`: false if the profile already had this text. @throws StepError */
  save: (
    memory: Pick<Memory, 'text' | 'session'> & { vector: readonly number[]; embeddingModel: string },
  ) => Promise<{ id: string; isNew: boolean }>;
  /** The memories that are nearest to a vector, nearest first. @throws StepError */
  nearest: (query: {
    vector: readonly number[];
    session: string | undefined;
    limit: number;
  }) => Promise<Memory[]>;
  /** The next memories after a number, oldest first. Examines at most `limit`. `through`: the last one examined. */
  after: (
    number: number,
    query: { session: string | undefined; limit: number },
  ) => Promise<{ memories: NumberedMemory[]; through: number }>;
  summary: (session: string | undefined) => Promise<SummaryOfMemories | undefined>;
  /** Replaces a summary, unless another run has replaced it. */
  storeSummary: (summary: SummaryOfMemories, replaced: SummaryOfMemories | undefined) => Promise<void>;
  /** Deletes all memories and summaries. @returns how many memories there were. @throws StepError */
  clear: () => Promise<number>;
}

import { totalmem } from 'node:os';

/** The memory that the service may take: that of the machine, of its container, or the setting. */
export function memoryBytes(): number {
  const set = Number(process.env.MEMORY_MB);
  // A container without a limit reports 0 or a number beyond any machine.
  const limits = [totalmem(), process.constrainedMemory(), set * 2 ** 20];
  return Math.min(...limits.filter((bytes) => bytes > 0));
}

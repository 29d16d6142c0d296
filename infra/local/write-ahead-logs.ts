import { closeSync, existsSync, fdatasync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { log } from '../../shared/core/log.ts';
import { held, readStored, writePrivately } from './runtime/state-files.ts';

/** How far a write-ahead log was durable at a moment. */
const Mark = z.object({ salt1: z.number(), salt2: z.number(), frames: z.number(), at: z.string() });
const Marks = z.record(z.string(), Mark);
type Marks = z.infer<typeof Marks>;

// D178
const marksFile = 'log-marks.json';

export type LogMarks = ReturnType<typeof logMarks>;

/**
 * SQLite ends a damaged log at its first damaged frame and starts without the rest. Therefore marks how far each log is
 * durable, once a second, and compares them at the next start. A later mark is never written before its frames are on
 * the disk, and each is removed before its log is merged.
 */
export function logMarks(directory: string, everyMs: number) {
  const file = join(directory, marksFile);
  const ends = new Map<string, LogEnd>();
  let written: Marks = {};
  let isMarking = false;
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;

  /** The marks of before remain, which are true; the next second tries again. */
  function reportOnce(error: unknown) {
    if (!hasFailed) log.warn('The ends of the write-ahead logs could not be marked', { error });
    hasFailed = true;
  }

  async function mark(databases: readonly string[]) {
    const at = new Date().toISOString();
    const marks: Marks = {};
    for (const name of databases) {
      const end = await durableEnd(join(directory, `${name}-wal`), ends.get(name));
      if (!end) continue;
      ends.set(name, end);
      const { salt1, salt2, frames } = end;
      const lastText = written[name];
      const isSame =
        lastText && lastText.salt1 === salt1 && lastText.salt2 === salt2 && lastText.frames === frames;
      if (frames > 0) marks[name] = isSame ? lastText : { salt1, salt2, frames, at };
    }
    // A stop that began meanwhile merges the logs.
    if (!timer || Object.keys(marks).every((name) => marks[name] === written[name])) return;
    writePrivately(file, JSON.stringify(marks, undefined, 2));
    written = marks;
  }

  return {
    /** The logs that end before their marks. */
    findShortLogs: () => shortLogs(directory, readStored(file, Marks) ?? {}),
    /** From when it returns, the file is there: a start that does not find it knows that it was lost. */
    watch(databases: () => readonly string[]) {
      const next = () => {
        if (isMarking) return;
        isMarking = true;
        mark(databases())
          .then(() => {
            hasFailed = false;
          }, reportOnce)
          .finally(() => {
            isMarking = false;
          });
      };
      timer ??= setInterval(next, everyMs).unref();
      try {
        if (!existsSync(file)) writePrivately(file, '{}');
      } catch (error) {
        reportOnce(error);
      }
      next();
    },
    /** Call before a log is merged or given up. */
    clear() {
      clearInterval(timer);
      timer = undefined;
      try {
        if (existsSync(file)) writePrivately(file, '{}');
      } catch {
        // A full disk.
        rmSync(file, { force: true });
      }
    },
  };
}

function shortLogs(directory: string, marks: Marks) {
  return Object.entries(marks).flatMap(([database, mark]) => {
    const name = `${database}-wal`;
    const end = readEnd(join(directory, name));
    if (end && (isLater(end, mark) || (isSameLog(end, mark) && end.frames >= mark.frames))) return [];
    const found = end && isSameLog(end, mark) ? end.frames : 0;
    const message = `${join(directory, name)} is damaged: it has ${found} of at least ${mark.frames} pages of changes (${held[database] ?? 'unknown'}) that were acknowledged until ${mark.at}.`;
    return [{ name, message }];
  });
}

/** The end of a log: its last commit. */
interface LogEnd {
  salt1: number;
  salt2: number;
  /** How often a log was begun anew by its writer, which counts up the first salt. */
  sequence: number;
  pageSize: number;
  frames: number;
  checksum: Checksum;
}

type Checksum = readonly [number, number];

const isSameLog = (one: { salt1: number; salt2: number }, other: { salt1: number; salt2: number }) =>
  one.salt1 === other.salt1 && one.salt2 === other.salt2;

/** SQLite begins a log anew once all of it is in the database: what the mark says is there. */
const isLater = (end: LogEnd, mark: { salt1: number; salt2: number }) =>
  !isSameLog(end, mark) && (end.sequence === 0 || (end.salt1 - mark.salt1) >>> 0 < 2 ** 31);

const sync = promisify(fdatasync);

/** The end of a log after everything until there is on the disk. */
async function durableEnd(file: string, from: LogEnd | undefined): Promise<LogEnd | undefined> {
  const end = readEnd(file, from);
  if (!end || (from && isSameLog(end, from) && end.frames === from.frames)) return end;
  const descriptor = openSync(file, 'r');
  try {
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return end;
}

/**
 * Reads a log as SQLite's recovery does (https://sqlite.org/walformat.html): until the first frame of another log or
 * with a wrong checksum.
 * @param from An earlier end, from which the reading goes on if it is still the same log.
 * @returns undefined without a log, or if its header is damaged
 */
function readEnd(file: string, from?: LogEnd): LogEnd | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const header = readHeader(descriptor);
    if (!header) return undefined;
    const start = from && isSameLog(header.end, from) ? from : header.end;
    return lastCommit(descriptor, start, header.isBigEndian);
  } finally {
    closeSync(descriptor);
  }
}

const headerBytes = 32;
const frameHeaderBytes = 24;
const magic = 0x377f0682;

function readHeader(descriptor: number): { end: LogEnd; isBigEndian: boolean } | undefined {
  const header = Buffer.alloc(headerBytes);
  if (readSync(descriptor, header, 0, headerBytes, 0) < headerBytes) return undefined;
  const field = (index: number) => header.readUInt32BE(index * 4);
  if (field(0) >>> 1 !== magic >>> 1) return undefined;
  const isBigEndian = (field(0) & 1) === 1;
  const checksum = addTo([0, 0], header.subarray(0, 24), isBigEndian);
  if (checksum[0] !== field(6) || checksum[1] !== field(7)) return undefined;
  const [pageSize, sequence, salt1, salt2] = [field(2), field(3), field(4), field(5)];
  return { end: { salt1, salt2, sequence, pageSize, frames: 0, checksum }, isBigEndian };
}

const framesAtOnce = 64;

function lastCommit(descriptor: number, start: LogEnd, isBigEndian: boolean): LogEnd {
  const frameBytes = frameHeaderBytes + start.pageSize;
  const buffer = Buffer.alloc(frameBytes * framesAtOnce);
  let end = start;
  let { frames, checksum } = start;
  for (;;) {
    const read = readSync(descriptor, buffer, 0, buffer.length, headerBytes + frames * frameBytes);
    for (let at = 0; at + frameBytes <= read; at += frameBytes) {
      const frame = buffer.subarray(at, at + frameBytes);
      const field = (index: number) => frame.readUInt32BE(index * 4);
      if (field(2) !== start.salt1 || field(3) !== start.salt2) return end;
      checksum = addTo(checksum, frame.subarray(0, 8), isBigEndian);
      checksum = addTo(checksum, frame.subarray(frameHeaderBytes), isBigEndian);
      if (checksum[0] !== field(4) || checksum[1] !== field(5)) return end;
      frames++;
      const isCommit = field(1) !== 0;
      if (isCommit) end = { ...start, frames, checksum };
    }
    if (read < buffer.length) return end;
  }
}

function addTo([first, second]: Checksum, bytes: Buffer, isBigEndian: boolean): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let [sum1, sum2] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    sum1 = (sum1 + view.getUint32(at, !isBigEndian) + sum2) >>> 0;
    sum2 = (sum2 + view.getUint32(at + 4, !isBigEndian) + sum1) >>> 0;
  }
  return [sum1, sum2];
}

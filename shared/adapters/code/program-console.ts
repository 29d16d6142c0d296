export const consoleCharactersMax = 20_000;

export function openProgramConsole() {
  const lines: string[] = [];
  let left = consoleCharactersMax;
  return {
    print(line: string): void {
      if (left <= 0) return;
      left -= line.length + 1;
      lines.push(left > 0 ? line : '… (more was written)');
    },
    lines: () => lines,
  };
}

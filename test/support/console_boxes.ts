/** A `console` box of a document: what to type, and what the document says is printed. */
export interface ConsoleBox {
  commands: string[];
  output: string[];
  /** Text of the HTML comment directly above the box. It says how the test treats the box. */
  note: string;
}

/** Lines after `$ ` are commands, and lines after `# ` are comments. A command that ends with a backslash goes on in the next line. */
export function parseConsoleBoxes(text: string): ConsoleBox[] {
  const boxes = [...text.matchAll(/(?:^<!-- ([^\n]*) -->\n)?^```console\n(.*?)^```$/gms)];
  return boxes.map(([, note = '', content = '']) => {
    const box: ConsoleBox = { commands: [], output: [], note };
    let isContinued = false;
    for (const line of content.trimEnd().split('\n')) {
      if (isContinued) box.commands.push(`${box.commands.pop()}\n${line}`);
      else if (line.startsWith('$ ')) box.commands.push(line.slice(2));
      else if (!line.startsWith('# ')) box.output.push(line);
      isContinued = (isContinued || line.startsWith('$ ')) && line.endsWith('\\');
    }
    return box;
  });
}

/** The lines that the document shows and that were not printed. `...` stands for any text. */
export function missingLines(printed: string, { output }: ConsoleBox): string[] {
  return output
    .filter((line) => line !== '' && line !== '...')
    .filter((line) => {
      const pattern = line
        .split('...')
        .map((text) => RegExp.escape(text))
        .join('[^]*');
      return !new RegExp(pattern).test(printed);
    });
}

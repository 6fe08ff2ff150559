import yauzl from 'yauzl';

const MAX_ENTRIES = 1_000;

/** Unpacks the first file of an archive whose name matches; undefined if there is none. Throws for another format or a large file. */
export async function readZipEntry(archive: Buffer, name: RegExp, maxBytes: number): Promise<Buffer | undefined> {
  const zip = await yauzl.fromBufferPromise(archive);
  let entries = 0;
  for await (const entry of zip.eachEntry()) {
    entries++;
    if (entries > MAX_ENTRIES) throw new Error(`the archive has more than ${MAX_ENTRIES} files`);
    if (!name.test(entry.fileName)) continue;
    // yauzl ends a stream that is longer than this size.
    if (entry.uncompressedSize > maxBytes) throw new Error(`a file of the archive has more than ${maxBytes} bytes`);
    const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
  return undefined;
}

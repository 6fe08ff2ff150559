import { Command } from 'commander';
import { openApiDocument } from '../api/openapi.ts';

export function openApiCommand(): Command {
  return new Command('openapi')
    .description('print the OpenAPI document of the read interface')
    .option('--url <url>', 'where callers reach the service', '')
    .addHelpText('after', '\nExample:\n  tankwatch openapi --url https://tanks.example.com > openapi.json')
    .action((options: { url: string }) => console.log(JSON.stringify(openApiDocument(options.url), null, 2)));
}

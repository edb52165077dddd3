// A peer of the benchmark: serves a recorded answer with the TypeScript SDK's server, stateless, with one server per request as
// in its documentation. `node server.mjs PAYLOAD`, prints its port.
import fs from 'node:fs';
import http from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const recorded = JSON.parse(fs.readFileSync(process.argv[2], 'utf8')).result;
const parameters = {
  start_date: z.string().optional(), end_date: z.string().optional(), channel: z.string().optional(), model: z.string().optional(),
  detail_level: z.enum(['summary', 'analyst', 'debug']).optional(), format: z.enum(['json', 'csv', 'summary']).optional(), compact: z.boolean().optional(),
};

const server = http.createServer(async (request, response) => {
  const mcp = new McpServer({ name: 'peer', version: '1' });
  mcp.registerTool('performance', { description: 'Store health.', inputSchema: parameters }, async () => recorded);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => { transport.close(); mcp.close(); });
  await mcp.connect(transport);
  await transport.handleRequest(request, response);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));

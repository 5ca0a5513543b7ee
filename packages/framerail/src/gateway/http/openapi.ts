// The routes as an OpenAPI document.

import type { JsonSchema } from "@framerail/protocol/schema";
import { toJsonSchema } from "@framerail/protocol/schema";
import { PROBLEM } from "./documents.js";
import { PROBLEM_TYPE } from "./problem.js";
import type { Route } from "./routes.js";

export function openApiDocument(routes: readonly Route[], version: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    Object.assign(paths[route.path] as object, { [route.method.toLowerCase()]: operationOf(route) });
  }
  return {
    openapi: "3.1.0",
    info: { title: "Framerail", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    security: [{ bearer: [] }],
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "A token of the identity provider, or an API key." },
      },
    },
    paths,
  };
}

function operationOf({ id, path, says, query = {}, headers = {}, body, answers }: Route): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const named = (place: "query" | "header", parts: Readonly<Record<string, string>>) =>
    Object.entries(parts).map(([name, description]) => ({
      name,
      in: place,
      description,
      schema: { type: "string" },
    }));
  return {
    operationId: id,
    summary: says,
    parameters: [...inPath, ...named("query", query), ...named("header", headers)],
    ...(body && { requestBody: { required: true, content: json(toJsonSchema(body)) } }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      default: {
        description: "What went wrong, as a problem document.",
        content: { [PROBLEM_TYPE]: { schema: toJsonSchema(PROBLEM) } },
      },
    },
  };
}

function answerOf(answer: Route["answers"][number]): object {
  if (answer === "nothing") return { description: "Nothing to read." };
  if (answer === "json") return { description: "A document.", content: json({ type: "object" }) };
  if (answer !== "stream") return { description: "A document.", content: json(toJsonSchema(answer)) };
  const frames = { schema: { type: "string", description: "Frames as in /schemas/frames-0.5.json." } };
  return {
    description: "Frames until the terminal one; a stream that ends without it was cut, and can be resumed.",
    content: { "text/event-stream": frames, "application/x-ndjson": frames },
  };
}

function json(schema: JsonSchema): object {
  return { "application/json": { schema } };
}

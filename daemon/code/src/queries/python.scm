(class_definition name: (identifier) @type)
(function_definition name: (identifier) @function)
(module (expression_statement (assignment left: (identifier) @constant)))
